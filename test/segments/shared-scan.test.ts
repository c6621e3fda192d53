import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openForReading, openForWriting } from '../../src-main/database/connection.ts'
import { type ScannerWanted, SecondScanner } from '../../src-main/segments/second-scanner.ts'
import { joinPieces, newScan, pieceScanner, scanPieces } from '../../src-main/segments/shared-scan.ts'
import { endThread, startThread } from '../../src-main/base/threads.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { importText, makeList } from '../support/builders.ts'

const threadFolder = new URL('../../src-main/segments/segment-reader.ts', import.meta.url).href

/** A list whose ids are 3, 6, 9, … up to 300,000. */
async function list() {
  const databasePath = join(await temporaryDirectory(), 'a.db')
  const writing = openForWriting(databasePath)
  writing.exec(`CREATE TABLE people (id INTEGER PRIMARY KEY);
    WITH RECURSIVE n (id) AS (SELECT 3 UNION ALL SELECT id + 3 FROM n WHERE id < 300000) INSERT INTO people SELECT id FROM n`)
  const reading = openForReading(databasePath)
  onTestFinished(() => {
    reading.close()
    writing.close()
  })
  const text = 'SELECT id FROM people WHERE id % ? = 0 AND id > ? AND id <= ? ORDER BY id'
  const scan = newScan({ text, parameters: [2] }, { first: 3, last: 300_000 })
  const expected = Float64Array.from({ length: 50_000 }, (_, index) => 6 * (index + 1))
  return { databasePath, reading, scan, expected }
}

describe('a shared scan', () => {
  it('finds every id once and in order with two threads', async () => {
    const { databasePath, reading, scan, expected } = await list()
    const scanner = new SecondScanner(({ scannerPort: port }) => {
      const thread = startThread(threadFolder, 'scan-thread', {
        data: { databasePath, port },
        ports: [port],
        name: 'scan'
      })
      onTestFinished(() => endThread(thread))
    })
    // The other thread finds all if this one does not begin.
    const alone = await scanner.scan({ ...scan, next: new SharedArrayBuffer(4) })

    const [own, other] = await Promise.all([scanPieces(reading, scan), scanner.scan(scan)])

    expect(joinPieces(alone)).toEqual(expected)
    expect([...own.keys()].filter((piece) => other.has(piece))).toEqual([])
    expect(joinPieces(new Map([...own, ...other]))).toEqual(expected)
  })

  it('stops a scan in all threads when its signal is aborted', async () => {
    const { reading, scan } = await list()
    const stop = new AbortController()

    const scanning = scanPieces(reading, scan, stop.signal)
    stop.abort(new Error('not wanted any more'))

    await expect(scanning).rejects.toThrow('not wanted any more')
    expect((await scanPieces(reading, scan)).size).toBe(0)
  })

  it('reads a piece that another thread has lost', async () => {
    const { reading, scan, expected } = await list()

    expect(pieceScanner(reading, scan)(0)).toEqual(expected.filter((id) => id < 3 + scan.idsPerPiece))
  })

  it('returns nothing and starts a new thread if the second thread ends', async () => {
    const { scan } = await list()
    const wanted: ScannerWanted[] = []
    const scanner = new SecondScanner((each) => wanted.push(each))

    const scanning = scanner.scan(scan)
    wanted[0]?.scannerPort.close()

    expect(await scanning).toEqual(new Map())
    void scanner.scan(scan)
    expect(wanted).toHaveLength(2)
    wanted[1]?.scannerPort.close()
  })
})

it('filters a large list correctly in its first and in a later scan', async () => {
  const { api } = await startApplication()
  const { id } = await makeList(api)
  const people = Array.from({ length: 60_000 }, (_, number) => `p${number}@example.com`)
  await importText(api, id, ['email', ...people].join('\n'))
  const expected = people.filter((email) => email.endsWith('7@example.com')).length

  for (const value of ['7@example.com', '7@EXAMPLE.com']) {
    const clause = [{ type: 'email', operator: 'ends with', value }]
    const page = await api.workbench('POST', `/mailing_lists/${id}/subscriber_table`, { clause })

    expect(page.num_records).toBe(expected)
  }
})

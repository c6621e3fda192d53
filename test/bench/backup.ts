import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { importFile } from '../../src-main/backups/import-file.ts'
import { recoverBackup } from '../../src-main/backups/recover.ts'
import { restoreBackup } from '../../src-main/backups/restore.ts'
import { digestsOf, verifyBackup } from '../../src-main/backups/verify.ts'
import { openForGood } from '../../src-main/integrity/verify-pages.ts'
import type { Client } from '../support/client.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { importPeople, makeFilledList, makePeopleList, upload } from './prepared-list.ts'
import { writePeople } from './people.ts'
import { startServer } from './server.ts'

export interface BackupFigures extends Partial<Latencies> {
  what: string
  seconds: number
  megabytes?: number
}

/** A backup of so many subscribers at rest and while as many are imported, with a client beside it; then it is put back and compared. */
export async function benchBackup(rows: number): Promise<BackupFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const data = join(directory, 'data')
  const server = await startServer(data)
  let hasEnded = false
  try {
    const { list } = await makeFilledList(server.api, directory, rows, 0)
    const other = await makePeopleList(server.api)
    const file = join(directory, 'more.csv')
    await writePeople(file, rows)
    const filename = await upload(server.api, file)
    const made: string[] = []
    const backUp = async (what: string): Promise<BackupFigures> => {
      const meanwhile = await callMeanwhile(server.api, list.id)
      const began = performance.now()
      const answer = await server.api.workbench<{ name: string; bytes: number }>('POST', '/backups')
      const seconds = (performance.now() - began) / 1000
      const latencies = await meanwhile.stop()
      if (!answer.success) throw new Error(answer.error_message ?? 'it was not made')
      made.push(join(data, 'backups', answer.data.name))
      return { what, seconds, megabytes: answer.data.bytes / 1e6, ...latencies }
    }
    const figures = [await backUp('copied and read back, at rest')]
    const importing = importPeople(server.api, other, filename)
    figures.push(await backUp('copied and read back, beside an import'))
    await importing
    const [first = '', besideImport = ''] = made
    figures.push(await timed('read back', () => verifyBackup(first)))
    figures.push(...(await archiveFigures(server.api, list.id, first, directory)))
    await server.end()
    hasEnded = true
    const restored = join(directory, 'restored')
    await mkdir(restored)
    figures.push(await timed('put in place', () => restoreBackup(restored, besideImport, Date.now())))
    figures.push(
      await timed('compared row by row: equal', async () => {
        const [a, b] = await Promise.all([besideImport, join(restored, 'listwright.db')].map(digestsIn))
        if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error('the restored data differ')
      })
    )
    figures.push(await recovery(join(data, 'listwright.db'), join(directory, 'recovered.db'), rows))
    return figures
  } finally {
    if (!hasEnded) await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

async function archiveFigures(
  api: Client,
  listId: number,
  backup: string,
  directory: string
): Promise<BackupFigures[]> {
  const meanwhile = await callMeanwhile(api, listId)
  const began = performance.now()
  const answer = await api.workbench('POST', `/backups/${basename(backup)}/archive`)
  const seconds = (performance.now() - began) / 1000
  const latencies = await meanwhile.stop()
  if (!answer.success) throw new Error(answer.error_message ?? 'it was not exported')
  const archive = backup.replace('.db', '.zip')
  const megabytes = statSync(archive).size / 1e6
  const imported = join(directory, 'imported.db')
  return [
    { what: 'exported as CSV and JSON', seconds, megabytes, ...latencies },
    await timed('imported again: equal', () => importFile(archive, imported, null))
  ]
}

async function recovery(databasePath: string, path: string, rows: number): Promise<BackupFigures> {
  const file = openSync(databasePath, 'r+')
  const pages = Math.floor(fstatSync(file).size / 4096)
  writeSync(file, Buffer.alloc(4096), 0, 4096, Math.floor(pages / 2) * 4096)
  closeSync(file)
  return timed(`recovered ${2 * rows} of a database with a broken page`, () =>
    recoverBackup({ databasePath, file: openForGood(databasePath) }, path)
  )
}

async function timed(what: string, work: () => Promise<unknown>): Promise<BackupFigures> {
  const began = performance.now()
  await work()
  return { what, seconds: (performance.now() - began) / 1000 }
}

async function digestsIn(path: string): Promise<object> {
  const database = new SQLite(path, { readonly: true })
  try {
    return await digestsOf(database)
  } finally {
    database.close()
  }
}

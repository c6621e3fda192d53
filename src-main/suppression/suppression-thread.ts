import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { FileFormat } from '../api/subscriber-imports/schema.ts'
import { type SuppressedRow, suppressedRowOf } from '../api/suppression-lists/rules.ts'
import { type CommandClient, commandClientOver } from '../database/writer.ts'
import { failureMessage, ImportFailure } from '../imports/failure.ts'
import { readRecords } from '../imports/records.ts'
import { fingerprintOf } from '../imports/source.ts'
import { unpack } from '../imports/unpack.ts'
import { untilStored } from '../jobs/until-stored.ts'
import { giveWay } from '../threads.ts'

// One file of addresses to suppress: of each record, the first cell that is an address, a domain or an MD5 sum.

export interface SuppressionThreadOptions {
  importId: number
  dataDirectory: string
  /** To the writer thread. */
  writer: MessagePort
}

/** Records of one command; some 10 ms of work. */
const recordsAtOnce = 1000

/** Thrown where the import was paused or cancelled. */
class Stopped extends Error {}

giveWay()
const { importId: id, dataDirectory, writer } = workerData as SuppressionThreadOptions
const unpackedPath = join(dataDirectory, 'imports', 'sources', `suppressed-${id}-unpacked.csv`)

try {
  await run(commandClientOver(writer))
} catch (error) {
  if (!(error instanceof Stopped)) parentPort?.postMessage(failureMessage(error))
} finally {
  await rm(unpackedPath, { force: true })
  writer.close()
}

async function run(client: CommandClient): Promise<void> {
  const row = await client.run('beginSuppressedAddressImport', { id })
  if (!row) return
  const source = join(dataDirectory, row.source_path)
  if ((await fingerprintOf(source)) !== row.source_fingerprint) {
    throw new ImportFailure('the file changed while it was imported. Import the changed file again')
  }
  const path = await unpack(source, unpackedPath, new AbortController().signal)
  const format = JSON.parse(row.file_format) as FileFormat
  let records = 0
  const goOn = async (): Promise<void> => undefined
  await readRecords(path, format, () => void records++, goOn)
  if (!(await client.run('noteSuppressedAddressRecords', { id, records }))) return
  await suppressAll(client, path, format, row.records_read)
  await client.run('finishSuppressedAddressImport', { id })
}

/** @param done records that an earlier run dealt with */
async function suppressAll(
  client: CommandClient,
  path: string,
  format: FileFormat,
  done: number
): Promise<void> {
  let left = done
  const records: string[][] = []
  const write = async (some: string[][]): Promise<void> => {
    const rows = some.flatMap(rowOf)
    const step = { id, read: some.length, skipped: some.length - rows.length, rows }
    // Nobody is there to make it go on when the disk was full: it waits.
    const goesOn = await untilStored(
      () => client.run('writeSuppressedAddresses', step),
      () => false
    )
    if (!goesOn) throw new Stopped()
  }
  const afterChunk = async (): Promise<void> => {
    while (records.length >= recordsAtOnce) await write(records.splice(0, recordsAtOnce))
  }
  await readRecords(
    path,
    format,
    (fields) => {
      if (left > 0) left--
      else records.push(fields)
    },
    afterChunk
  )
  if (records.length > 0) await write(records)
}

function rowOf(fields: string[]): SuppressedRow[] {
  for (const field of fields) {
    const row = suppressedRowOf(field)
    if (row) return [row]
  }
  return []
}

import { refusal } from '../base/refusal.ts'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileFormat } from '../api/subscriber-imports/schema.ts'
import { type SuppressedRow, suppressedRowOf } from '../api/suppression-lists/rules.ts'
import { importFault, ImportFailure } from '../csv/failure.ts'
import { readRecords } from '../csv/records.ts'
import { fingerprintOf } from '../imports/source.ts'
import { unpackFile } from '../contact-files/formats/unpack.ts'
import type { JobOutcome } from '../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../jobs/run-job.ts'
import { untilStored } from '../jobs/until-stored.ts'

// One file of addresses to suppress: of each record, the first cell that is an address, a domain or an MD5 sum.

/** Records of one command; some 10 ms of work. */
const recordsAtOnce = 1000

/** Thrown where the import was paused or cancelled. */
class Stopped extends Error {}

runJobs(
  async (job: RunningJob) => {
    const unpackedPath = join(job.dataDirectory, 'imports', 'sources', `suppressed-${job.id}-unpacked.csv`)
    try {
      return await suppressFile(job, unpackedPath)
    } finally {
      await rm(unpackedPath, { force: true })
    }
  },
  {
    onStorageFault: (fault) => ({ is: 'failed', fault: refusal('then_import_again', { fault }) }),
    describe: importFault
  }
)

async function suppressFile(
  { id, dataDirectory, client, signal }: RunningJob,
  unpackedPath: string
): Promise<JobOutcome> {
  const row = await client.run('suppressedAddressImports.begin', { id })
  if (!row) return { is: 'stopped' }
  const source = join(dataDirectory, row.source_path)
  if ((await fingerprintOf(source)) !== row.source_fingerprint) {
    throw new ImportFailure(refusal('file_changed'))
  }
  const path = await unpackFile(source, unpackedPath, signal)
  const format = JSON.parse(row.file_format) as FileFormat
  let records = 0
  const goOn = async (): Promise<void> => signal.throwIfAborted()
  await readRecords(path, format, () => void records++, goOn)
  if (!(await client.run('suppressedAddressImports.noteRecords', { id, records }))) return { is: 'stopped' }
  try {
    await suppressAll({ id, client, signal }, path, format, row.records_read)
    return { is: 'finished' }
  } catch (error) {
    if (error instanceof Stopped) return { is: 'stopped' }
    throw error
  }
}

async function suppressAll(
  { id, client, signal }: Pick<RunningJob, 'id' | 'client' | 'signal'>,
  path: string,
  format: FileFormat,
  done: number
): Promise<void> {
  let left = done
  const records: string[][] = []
  const write = async (some: string[][]): Promise<void> => {
    const rows = some.flatMap(rowOf)
    const step = { id, read: some.length, skipped: some.length - rows.length, rows }
    // No user could resume this job after the disk was full, so it waits.
    const goesOn = await untilStored(
      () => client.run('suppressedAddressImports.write', step),
      () => signal.aborted
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

import { refusal } from '../../base/refusal.ts'
import { ExplainedError } from '../../base/errors.ts'
import SQLite, { type Database } from 'better-sqlite3'
import { once } from 'node:events'
import { createWriteStream, existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { makeDirectory, moveDurably, partialPath } from '../../base/durable.ts'
import { addFunctions } from '../../database/functions.ts'
import { newestSchema } from '../../database/migrate.ts'
import { requireRoom } from '../room.ts'
import { digestsOf, verifyBackup } from '../verify.ts'
import { archivedTables, manifestName, manifestOf, sequences, tableEntry } from './format.ts'
import { explanation } from './explanation.ts'
import { subscriberFiles } from './subscriber-files.ts'
import { archived, type Stored } from './values.ts'

export interface WrittenArchive {
  subscribers: number
  bytes: number
}

/**
 * Writes everything that a backup holds into an archive, as CSV and JSON. Takes some 20 s for a million subscribers.
 * @param backupPath nothing may write to it meanwhile
 * @param path of the archive, which has this name once it is whole and on disk; another file of that name is not replaced
 * @throws Error with a sentence where the backup cannot be used, another version wrote it, or the archive cannot be written
 */
export async function writeArchive(backupPath: string, path: string): Promise<WrittenArchive> {
  if (existsSync(path)) throw new ExplainedError(refusal('file_exists', { path }))
  // A faulty backup is refused: the archive's manifest would declare its contents correct.
  const { ok, faults, tables, subscribers } = await verifyBackup(backupPath)
  if (!ok)
    throw new ExplainedError(refusal('cannot_be_used', { path: backupPath, faults: faults.join('; ') }))
  await makeDirectory(dirname(path))
  await requireRoom('An archive', statSync(backupPath).size, dirname(path))
  const partial = partialPath(path)
  const database = openBackup(backupPath)
  try {
    const held = archivedTables(database)
    const digests = { ...tables, ...(await digestsOf(database, [sequences])) }
    const files = new Entries()
    files.addText('README.txt', explanation)
    const manifest = manifestOf(
      newestSchema,
      new Date(),
      Object.fromEntries(Object.entries(digests).filter(([table]) => held.includes(table)))
    )
    files.addText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
    for await (const { name, lines } of subscriberFiles(database)) files.add(name, lines)
    for (const table of held) files.add(tableEntry(table), () => rowsOf(database, table))
    await files.writeTo(partial)
    await moveDurably(partial, () => path)
    return { subscribers, bytes: statSync(path).size }
  } finally {
    await rm(partial, { force: true })
    database.close()
  }
}

function openBackup(path: string): Database {
  const database = new SQLite(path, { readonly: true, fileMustExist: true })
  addFunctions(database)
  if (database.pragma('user_version', { simple: true }) === newestSchema) return database
  database.close()
  throw new ExplainedError(refusal('backup_of_other_version', { path }))
}

class Entries {
  readonly #zip = new ZipFile()
  readonly #open = new Set<Readable>()

  addText(name: string, text: string): void {
    this.#zip.addBuffer(Buffer.from(text), name, { mode })
  }

  add(name: string, lines: () => Iterable<string>): void {
    this.#zip.addReadStreamLazy(name, { mode }, (give) => {
      const stream = Readable.from(lines(), { objectMode: false })
      this.#open.add(stream.once('close', () => this.#open.delete(stream)))
      give(null, stream)
    })
  }

  async writeTo(path: string): Promise<void> {
    const output = this.#zip.outputStream as Readable
    this.#zip.on('error', (error: Error) => output.destroy(error))
    this.#zip.end()
    try {
      await pipeline(output, createWriteStream(path, { mode: 0o600 }))
    } finally {
      await Promise.all([...this.#open].map((stream) => once(stream.destroy(), 'close')))
    }
  }
}

/** For the owner only, also after unpacking. */
const mode = 0o100600

/** Text that is handed on at once, in characters: a stream of rows would be one of very small parts. */
const charactersAtOnce = 65_536

/** Yields the rows of a table as a JSON array with one row per line; null values are left out. */
function* rowsOf(database: Database, table: string): Generator<string> {
  const statement = database.prepare<[], Record<string, Stored>>(`SELECT * FROM "${table}"`).safeIntegers()
  let text = '['
  let separator = '\n'
  for (const row of statement.iterate()) {
    const values = Object.entries(row).flatMap(([column, value]): [string, unknown][] =>
      value === null ? [] : [[column, archived(value)]]
    )
    text += separator + JSON.stringify(Object.fromEntries(values))
    separator = ',\n'
    if (text.length < charactersAtOnce) continue
    yield text
    text = ''
  }
  yield `${text}\n]\n`
}

import SQLite, { type Database } from 'better-sqlite3'
import { createWriteStream, existsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { makeDirectory, moveDurably } from '../../base/durable.ts'
import { addFunctions } from '../../database/functions.ts'
import { newestSchema } from '../../database/migrate.ts'
import { digestsOf } from '../verify.ts'
import { archivedTables, manifestName, manifestOf, tableEntry } from './format.ts'
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
 * @throws Error with a sentence where another version wrote the backup, or the archive cannot be written
 */
export async function writeArchive(backupPath: string, path: string): Promise<WrittenArchive> {
  if (existsSync(path)) throw new Error(`The file ${path} already exists.`)
  const database = new SQLite(backupPath, { readonly: true, fileMustExist: true })
  const partial = join(dirname(path), `.${basename(path)}.part`)
  try {
    await makeDirectory(dirname(path))
    addFunctions(database)
    if (database.pragma('user_version', { simple: true }) !== newestSchema) {
      throw new Error(
        `${backupPath} was written by another version of Listwright. Restore it first, and export the data then.`
      )
    }
    const tables = await archivedDigests(database)
    const manifest = manifestOf(newestSchema, new Date(), tables)
    await writeZip(partial, async (zip) => {
      zip.addBuffer(Buffer.from(explanation), 'README.txt')
      zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), manifestName)
      for await (const { name, lines } of subscriberFiles(database)) add(zip, name, lines)
      for (const table of archivedTables(database)) add(zip, tableEntry(table), () => rowsOf(database, table))
    })
    await moveDurably(partial, () => path)
    return { subscribers: tables['subscribers']?.rows ?? 0, bytes: statSync(path).size }
  } finally {
    database.close()
    await rm(partial, { force: true })
  }
}

async function archivedDigests(database: Database) {
  const held = archivedTables(database)
  const digests = await digestsOf(database)
  return Object.fromEntries(Object.entries(digests).filter(([table]) => held.includes(table)))
}

/** Adds a file whose text is made when it is its turn. */
function add(zip: ZipFile, name: string, lines: () => Iterable<string> | AsyncIterable<string>): void {
  zip.addReadStreamLazy(name, { mode: 0o100600 }, (give) => {
    give(null, Readable.from(lines(), { objectMode: false }))
  })
}

async function writeZip(path: string, fill: (zip: ZipFile) => Promise<void>): Promise<void> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  // What fails while an entry is made ends the file as well.
  zip.on('error', (error: Error) => output.destroy(error))
  await fill(zip)
  zip.end()
  await pipeline(output, createWriteStream(path, { mode: 0o600 }))
}

/** Text that is handed on at once, in characters: a stream of rows would be one of very small parts. */
const charactersAtOnce = 65_536

/** The rows of a table as a JSON array with a row on each line; what is null is left out. */
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

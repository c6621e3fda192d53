import { refusal } from '../../base/refusal.ts'
import { Ajv } from 'ajv'
import SQLite, { type Database } from 'better-sqlite3'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { text as wholeText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Entry, open as openZip, type Options, type ZipFile } from 'yauzl'
import { ExplainedError, messageOf } from '../../base/errors.ts'
import { addFunctions } from '../../database/functions.ts'
import { migrate, migrations, newestSchema } from '../../database/migrate.ts'
import { requireRoom } from '../room.ts'
import { digestsOf } from '../verify.ts'
import {
  archivedTables,
  columnsOf,
  firstSchema,
  Manifest,
  manifestName,
  sequences,
  tableEntry
} from './format.ts'
import { restored, type Stored } from './values.ts'

const openFile = promisify<string, Options, ZipFile>(openZip)
const isManifest = new Ajv().compile<Manifest>(Manifest)

const maxManifestBytes = 1_000_000
/** The longest line, in bytes: an image or the content of a message, with room to spare. */
const maxLineBytes = 64 * 1024 ** 2

/**
 * Creates a database from an archive of {@link writeArchive}, equal to the original. Takes about 30 s for a
 * million subscribers.
 * @param databasePath of the new database, which does not exist
 * @throws Error with a sentence if it is no archive, a newer version wrote it, it was changed, or there is no
 * space
 */
export async function readArchive(path: string, databasePath: string): Promise<void> {
  const zip = await openFile(path, { lazyEntries: true, autoClose: false }).catch(() => {
    throw new ExplainedError(refusal('archive_not_zip'))
  })
  try {
    const entries = await entriesOf(zip)
    const manifest = await manifestIn(zip, entries)
    const data = [...entries.values()].filter(({ fileName }) => fileName.startsWith('data/'))
    const bytes = data.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
    await requireRoom('The archive', bytes, dirname(databasePath))
    const database = newDatabase(databasePath, manifest.schema)
    try {
      database.exec('BEGIN')
      for (const table of archivedTables(database)) await fillTable(zip, entries, database, table)
      await requireSame(database, manifest)
      database.exec('COMMIT')
    } finally {
      database.close()
    }
  } finally {
    zip.close()
  }
}

function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  return new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    zip.on('error', reject)
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

async function manifestIn(zip: ZipFile, entries: Map<string, Entry>): Promise<Manifest> {
  const entry = entries.get(manifestName)
  if (!entry || entry.uncompressedSize > maxManifestBytes)
    throw new ExplainedError(refusal('archive_lacks_manifest', { name: manifestName }))
  const manifest = parsed(await wholeText(await streamOf(zip, entry)))
  if (!isManifest(manifest)) throw new ExplainedError(refusal('manifest_of_others', { name: manifestName }))
  if (manifest.schema < firstSchema)
    throw new ExplainedError(refusal('manifest_schema', { name: manifestName }))
  if (manifest.schema > newestSchema) {
    throw new ExplainedError(refusal('archive_of_newer'))
  }
  return manifest
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function streamOf(zip: ZipFile, entry: Entry): Promise<Readable> {
  return promisify<Entry, Readable>(zip.openReadStream.bind(zip))(entry)
}

/** A database of a schema without a row in it. */
function newDatabase(path: string, schema: number): Database {
  const database = new SQLite(path)
  addFunctions(database)
  // The caller moves it into place once it is complete.
  database.pragma('journal_mode = MEMORY')
  database.pragma('synchronous = OFF')
  database.pragma('cache_size = -131072') // 128 MiB: rows come in the order of one index of several
  migrate(
    database,
    dirname(path),
    migrations.filter(({ version }) => version <= schema)
  )
  database.pragma('foreign_keys = OFF')
  for (const table of archivedTables(database)) database.exec(`DELETE FROM "${table}"`)
  return database
}

async function fillTable(
  zip: ZipFile,
  entries: Map<string, Entry>,
  database: Database,
  table: string
): Promise<void> {
  const name = tableEntry(table)
  const entry = entries.get(name)
  if (!entry) throw new ExplainedError(refusal('archive_lacks_table', { name }))
  const columns = columnsOf(database, table)
  // Inserting the rows of the other tables has changed it.
  if (table === sequences) database.exec(`DELETE FROM ${sequences}`)
  const insert = database.prepare<Stored[]>(
    `INSERT INTO "${table}" (${[...columns.keys()].map((column) => `"${column}"`).join(', ')})
     VALUES (${[...columns.keys()].map(() => '?').join(', ')})`
  )
  let number = 0
  for await (const line of linesOf(await streamOf(zip, entry))) {
    number++
    if (line === '[' || line === ']' || line === '') continue
    const place = { line: number, name }
    const row = parsed(line.replace(/,$/, ''))
    if (typeof row !== 'object' || row === null) {
      throw new ExplainedError(refusal('archive_line_no_object', place))
    }
    const unknown = Object.keys(row).find((column) => !columns.has(column))
    if (unknown !== undefined) {
      throw new ExplainedError(refusal('archive_line_property', { ...place, property: unknown }))
    }
    const values = [...columns].map(([column, type]) => {
      const value = restored(Reflect.get(row, column), type)
      if (value !== undefined) return value
      const wanted = wantedValues[type]
      throw new ExplainedError(refusal('archive_line_value', { ...place, column, wanted }))
    })
    try {
      insert.run(...values)
    } catch (error) {
      const fault = messageOf(error)
      throw new ExplainedError(refusal('archive_line_cannot_be_stored', { ...place, fault }), {
        cause: error
      })
    }
  }
}

const wantedValues = { INTEGER: 'a whole number', REAL: 'a number', BLOB: 'base64 data', TEXT: 'text' }

/**
 * Lines end with a line feed alone: texts may hold what Unicode calls line separators.
 * @throws Error for a line that is longer than anything that is stored
 */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const parts: Buffer[] = []
  let length = 0
  const taken = (): string => Buffer.concat(parts.splice(0)).toString()
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      parts.push(chunk.subarray(start, end))
      yield taken()
      start = end + 1
      length = 0
    }
    parts.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > maxLineBytes) throw new ExplainedError(refusal('archive_line_too_long'))
  }
  yield taken()
}

const lineFeed = 0x0a

async function requireSame(database: Database, { tables }: Manifest): Promise<void> {
  const held = archivedTables(database)
  const found = await digestsOf(database, held)
  const changed = [...new Set([...held, ...Object.keys(tables)])].filter(
    (table) => found[table]?.digest !== tables[table]?.digest
  )
  if (changed.length === 0) return
  throw new ExplainedError(refusal('archive_changed', { names: changed.map(tableEntry) }))
}

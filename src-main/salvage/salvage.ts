import SQLite, { type Database } from 'better-sqlite3'
import { dirname } from 'node:path'
import { addFunctions } from '../database/functions.ts'
import { migrate, newestSchema } from '../database/migrate.ts'
import type { OpenDatabase } from '../integrity/verify-pages.ts'
import { TableCopy } from './copy.ts'
import { countAgain, countedSubscribers, countedTables, subscribersIn } from './counters.ts'
import { type LossCounts, LossList } from './losses.ts'
import { DamagedPages } from './pages.ts'
import { repairReferences } from './references.ts'
import { handedOut, tablesOf } from './source.ts'
import { stopWhatWasGoingOn } from './stopped.ts'
import { repairFields } from './values.ts'

/**
 * Copies what is readable of a damaged database into a new one, directly from its pages, since SQLite cannot
 * read beyond broken ones. The damaged database is unchanged. Takes about 20 s for a million subscribers.
 * Nothing may write meanwhile.
 * @param path of the new database, which does not exist
 * @param lossesPath of the list of losses
 * @throws Error with a sentence if another version wrote the database
 */
export async function salvage(damaged: OpenDatabase, path: string, lossesPath: string): Promise<LossCounts> {
  const pages = new DamagedPages(damaged)
  const schema = pages.schema()
  if (schema !== null && schema !== newestSchema)
    throw new Error(
      `${damaged.databasePath} was written by another version of Listwright, which alone can recover it.`
    )
  const losses = new LossList(lossesPath)
  const database = newDatabase(path)
  try {
    database.exec('BEGIN')
    copyTables(pages, database, losses)
    repairReferences(database, losses, ['organizations', 'mailing_lists'])
    repairFields(database, losses)
    repairReferences(database, losses)
    stopWhatWasGoingOn(database, losses)
    await countAgain(database, handedOut(pages))
    database.exec('COMMIT')
  } finally {
    database.close()
    pages.close()
    await losses.close()
  }
  return losses.counts
}

function newDatabase(path: string): Database {
  const database = new SQLite(path)
  addFunctions(database)
  // The caller moves it into place once it is complete.
  database.pragma('journal_mode = MEMORY')
  database.pragma('synchronous = OFF')
  database.pragma('cache_size = -131072') // 128 MiB: rows come in the order of one index of several
  migrate(database, dirname(path))
  database.pragma('foreign_keys = OFF')
  return database
}

/**
 * The agreed states with a remote server are not copied: subscribers that are lost here would be deleted
 * there.
 */
const isOfSync = (table: string): boolean => table.startsWith('sync_') && table !== 'sync_remotes'

function copyTables(pages: DamagedPages, database: Database, losses: LossList): void {
  const tables = tablesOf(pages, database)
  const copies = tables
    .filter(({ name }) => !countedTables.includes(name) && !isOfSync(name))
    // Mailing lists come first, since lost records are reported with the name of their list.
    .sort((a, b) => Number(b.name === 'mailing_lists') - Number(a.name === 'mailing_lists'))
    .map((table) => new TableCopy(pages, table, database, losses))
  for (const { table } of copies) database.exec(`DELETE FROM "${table.name}"`)
  for (const copy of copies) copy.copyTree()
  copyStrayPages(pages, copies)
  for (const copy of copies) copy.tellMissing()
  const unnamed = countedSubscribers(pages, tables) - subscribersIn(database) - losses.lostOf('subscribers')
  if (unnamed > 0) losses.addUnnamed('subscribers', unnamed)
  if (pages.isCutShort) losses.tellUnknown()
}

function copyStrayPages(pages: DamagedPages, copies: readonly TableCopy[]): void {
  const broken = copies.filter(({ visit, table }) => visit.isBroken && !table.isKeyed)
  if (broken.length === 0) return
  const found = new Set(copies.flatMap(({ visit }) => [...visit.pages]))
  const free = pages.freePages()
  // Without the list of free pages, deleted rows cannot be distinguished from others.
  const isDoubtful = pages.schema() === null || pages.unlike.has(1)
  for (let page = 2; page <= pages.count; page++) {
    if (found.has(page) || free.has(page)) continue
    broken.find((copy) => copy.takePage(page, isDoubtful))
  }
}

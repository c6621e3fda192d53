import type { Kysely } from 'kysely'
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { StoredSettings } from '../api/subscriber-imports/queries.ts'
import { type ImportCounts, importOutcomes, type ImportOutcome } from '../api/subscriber-imports/schema.ts'
import { subscribersNamed } from '../api/subscribers/queries.ts'
import { emailKey } from '../api/subscribers/rules.ts'
import type { Drift } from '../api/subscriber-counts/recount.ts'
import type { Schema } from '../database/schema.ts'
import { CsvReader } from '../csv/csv-reader.ts'
import { decodeFile } from '../csv/decode.ts'
import { logDirectory, logPath } from './logs.ts'
import { csvFormat } from '../csv/records.ts'

const lookedUpAtOnce = 500

/**
 * Finds finished imports whose stats contradict their logs, or whose logs name subscribers that are missing
 * although none was deleted since. Also counts imports whose logs are missing, such as after restoring
 * another computer's backup.
 */
export async function driftsOfImports(
  db: Kysely<Schema>,
  dataDirectory: string
): Promise<{ drifts: Drift[]; withoutLogs: number }> {
  const imports = await db
    .selectFrom('subscriber_imports')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'subscriber_imports.mailing_list_id')
    .select([
      'subscriber_imports.id',
      'subscriber_imports.mailing_list_id',
      'counts',
      'settings',
      'primary_key_custom_field_id',
      'records_imported',
      'number_of_records'
    ])
    .where('state', '=', 'finished')
    .where('logs_purged_at', 'is', null)
    .where('deleted_at', 'is', null)
    .execute()
  const drifts: Drift[] = []
  let withoutLogs = 0
  for (const { id, mailing_list_id: listId, ...row } of imports) {
    const counts = JSON.parse(row.counts) as ImportCounts
    const { file_format: format } = JSON.parse(row.settings) as StoredSettings
    const compare = (counter: string, kept: number, found: number): void => {
      if (kept !== found) drifts.push({ counter: `${counter} of subscriber import ${id}`, kept, found })
    }
    compare('records', row.number_of_records ?? 0, row.records_imported)
    compare(
      'outcomes',
      row.records_imported,
      importOutcomes.reduce((sum, name) => sum + counts[name], 0)
    )
    if (!existsSync(logDirectory(dataDirectory, id))) {
      withoutLogs++
      continue
    }
    // If the primary key is not the email, a row may concern a subscriber with another email.
    const mayBeGone = row.primary_key_custom_field_id !== null || (await lostSubscribersSince(db, listId, id))
    for (const outcome of importOutcomes) {
      const path = logPath(logDirectory(dataDirectory, id), outcome)
      const { lines, missing } = !existsSync(path)
        ? { lines: 0, missing: 0 }
        : outcome === 'failed'
          ? { lines: await recordsIn(path, csvFormat(format)), missing: 0 }
          : await addressesIn(db, path, isOnList(outcome) && !mayBeGone ? listId : null)
      compare(`lines in the log "${outcome}"`, counts[outcome], lines)
      compare(`subscribers found from the log "${outcome}"`, lines, lines - missing)
    }
  }
  return { drifts, withoutLogs }
}

function isOnList(outcome: ImportOutcome): boolean {
  return outcome !== 'failed' && outcome !== 'skipped_over_limit'
}

/**
 * True if since the import began a subscriber of the list was deleted or changed its email, or the list
 * changed its primary key; also if the change log does not reach back that far.
 */
async function lostSubscribersSince(db: Kysely<Schema>, listId: number, importId: number): Promise<boolean> {
  const began = await db
    .selectFrom('change_log')
    .select('id')
    .where('entity', '=', 'subscriber_import')
    .where('action', '=', 'create')
    .where('first_id', '=', importId)
    .executeTakeFirst()
  if (!began) return true
  const change = await db
    .selectFrom('change_log')
    .select('id')
    .where('mailing_list_id', '=', listId)
    // An import changes many subscribers at a time and no emails. A change of one subscriber may change the
    // email.
    .where((where) =>
      where.or([
        where('entity', '=', 'mailing_list'),
        where.and([
          where('entity', '=', 'subscriber'),
          where.or([
            where('action', '=', 'delete'),
            where.and([where('action', '=', 'update'), where('first_id', '=', where.ref('last_id'))])
          ])
        ])
      ])
    )
    .where('id', '>', began.id)
    .limit(1)
    .executeTakeFirst()
  return change !== undefined
}

async function recordsIn(path: string, format: { separator: string; enclosure: string }): Promise<number> {
  let records = 0
  const reader = new CsvReader(format, () => void records++, false)
  for await (const text of decodeFile(path, 'UTF-8')) reader.push(text)
  reader.end()
  return records
}

/** @param listId null = any list */
async function addressesIn(
  db: Kysely<Schema>,
  path: string,
  listId: number | null
): Promise<{ lines: number; missing: number }> {
  let lines = 0
  let missing = 0
  let emails: string[] = []
  const lookUp = async (): Promise<void> => {
    if (listId === null || emails.length === 0) return
    const found = await subscribersNamed(
      db,
      listId,
      emails.map((email) => ({ email }))
    )
    const keys = new Set(found.map(({ email_key }) => email_key))
    missing += emails.filter((email) => !keys.has(emailKey(email))).length
  }
  for await (const email of createInterface(createReadStream(path))) {
    lines++
    emails.push(email)
    if (emails.length < lookedUpAtOnce) continue
    await lookUp()
    emails = []
  }
  await lookUp()
  return { lines, missing }
}

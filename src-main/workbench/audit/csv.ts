import type { Kysely } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { csvWriter } from '../../csv/csv-writer.ts'
import type { Schema } from '../../database/schema.ts'
import type { AuditEvent } from './endpoints.ts'
import { ownGroup } from './groups.ts'
import { presentEvents } from './present.ts'
import type { AuditScope } from './queries.ts'
import { scanAuditLog } from './scan.ts'

const columns = [
  'time',
  'user',
  'via',
  'key, import or server',
  'action',
  'record type',
  'record id',
  'number of records',
  'record',
  'mailing list',
  'API key owner',
  'changes'
]

/** Lines that are made before something else may go first; some 5 ms. */
const writtenAtOnce = 50

/** Each change of a scope as a line of CSV, the newest first. */
export async function* auditCsv(
  db: Kysely<Schema>,
  scope: AuditScope,
  timeZone: string,
  signal: AbortSignal
): AsyncGenerator<string> {
  const write = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' }, true)
  yield write([columns])
  for await (const { rows } of scanAuditLog(db, scope, null, signal)) {
    for (let start = 0; start < rows.length; start += writtenAtOnce) {
      const some = rows.slice(start, start + writtenAtOnce).map(ownGroup)
      yield write((await presentEvents(db, some, timeZone)).map(lineOf))
      await nextTurn()
    }
  }
}

function lineOf(event: AuditEvent): string[] {
  return [
    event.at,
    event.user?.name ?? '',
    wordsOf[event.via] ?? words(event.via),
    event.cause?.name ?? '',
    actionOf(event),
    wordsOf[event.entity] ?? words(event.entity),
    String(event.record?.id ?? ''),
    String(event.records ?? ''),
    event.record?.name ?? '',
    event.mailing_list?.name ?? '',
    event.key_of?.name ?? '',
    event.changes.map(textOf).join('; ')
  ]
}

const actions = { create: 'created', update: 'changed', delete: 'deleted' } as const
const signIns = {
  password: 'signed in with a password',
  link: 'signed in with a link',
  wrong_password: 'failed to sign in: wrong password',
  locked_out: 'failed to sign in: wrong password, locked out',
  inactive: 'failed to sign in: not allowed to sign in'
} as const

/** Kinds of records and origins whose API names users do not know. */
const wordsOf: Partial<Record<AuditEvent['via'] | AuditEvent['entity'], string>> = {
  window: 'app',
  link: 'link in a message',
  import_undo: 'undoing an import',
  bulk_action_undo: 'undoing a bulk action',
  mailing_list: 'list',
  subscriber_import: 'import',
  subscriber_export: 'export',
  web_form: 'form',
  pending_subscription: 'unconfirmed sign-up',
  suppressed_address_import: 'addresses to suppress',
  sync_remote: 'sync server'
}

function actionOf({ entity, action, sign_in }: AuditEvent): string {
  if (entity !== 'sign_in') return actions[action]
  return sign_in ? signIns[sign_in] : 'signed out'
}

function textOf({ attribute, field, before, now }: AuditEvent['changes'][number]): string {
  const name = field ?? words(attribute ?? '')
  return before === null && now === null ? name : `${name}: ${valueOf(before)} → ${valueOf(now)}`
}

function valueOf(value: unknown): string {
  if (value === null || value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function words(name: string): string {
  return name.replaceAll('_', ' ').replaceAll(/\b(api|url|mta)\b/g, (short) => short.toUpperCase())
}

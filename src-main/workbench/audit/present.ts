import type { Kysely } from 'kysely'
import { undoObstacle } from '../../api/bulk-actions/rules.ts'
import { isUndoableChange } from '../../api/record-kinds.ts'
import { importNames } from '../../api/subscriber-imports/name-queries.ts'
import { formatTime } from '../../base/times.ts'
import type { ChangedEntity, Schema } from '../../database/schema.ts'
import type { KeptChange } from '../../undo/rules.ts'
import type { AuditEvent } from './endpoints.ts'
import type { AuditGroup } from './groups.ts'
import { changesOfEdit } from './edits.ts'
import { type AuditRow, detailsOf, type RecordName, recordNames } from './queries.ts'

interface Details extends KeptChange {
  /** The deleted subscriber. */
  removed?: unknown
  by?: 'password' | 'link'
  failed?: 'wrong_password' | 'locked_out' | 'inactive'
  /** The owner of the API key. */
  of_user?: number
  /** The password changed, or it protects the backup. */
  password?: boolean
  exported?: boolean
  restore_requested?: boolean
  restored?: boolean
  for_good?: boolean
  /** Custom fields by id, with their values before and after. */
  fields?: Record<string, unknown>
  /** Attributes, each with its value before and after. */
  [attribute: string]: unknown
}

/** Groups of changes as the window shows them. */
export async function presentEvents(
  db: Kysely<Schema>,
  groups: readonly AuditGroup[],
  timeZone: string
): Promise<AuditEvent[]> {
  const rows = groups.map(({ row }) => row)
  const kept = await detailsOf(
    db,
    // A group stands for many changes: what one of them did is not true of all, and for many records no more
    // is stored.
    groups
      .filter(({ row, entries }) => entries === 1 && row.first_id === row.last_id)
      .map(({ row }) => row.id)
  )
  const detailsById = new Map([...kept].map(([id, text]) => [id, JSON.parse(text) as Details]))
  const names = await namesIn(db, rows, [...detailsById.values()])
  return groups.map(({ row, since, records, entries }) => {
    const details = detailsById.get(row.id) ?? {}
    const list = row.mailing_list_id === null ? null : names.of('mailing_list', row.mailing_list_id)
    return {
      id: row.id,
      at: formatTime(row.at, timeZone),
      since: since === row.at ? null : formatTime(since, timeZone),
      entity: row.entity,
      action: row.action,
      records,
      record:
        entries === 1 && records === 1 && row.entity !== 'settings' ? recordOf(row, details, names) : null,
      mailing_list:
        row.mailing_list_id === null || list?.name == null
          ? null
          : { id: row.mailing_list_id, name: list.name },
      via: row.via,
      user: row.user_id === null ? null : reference(row.user_id, names.of('user', row.user_id)),
      cause: row.cause_id === null ? null : { id: row.cause_id, name: causeName(row, names) },
      undo: undoOf(row, details, names),
      sign_in: signInOf(row, details),
      key_of:
        details.of_user === undefined ? null : reference(details.of_user, names.of('user', details.of_user)),
      changes: changesIn(details, names)
    }
  })
}

interface Names {
  of: (entity: ChangedEntity, id: number) => RecordName | undefined
}

async function namesIn(
  db: Kysely<Schema>,
  rows: readonly AuditRow[],
  details: readonly Details[]
): Promise<Names> {
  const wanted = new Map<ChangedEntity, Set<number>>()
  const want = (entity: ChangedEntity, id: number | null | undefined): void => {
    if (id == null) return
    const ids = wanted.get(entity) ?? new Set()
    wanted.set(entity, ids.add(id))
  }
  for (const { of_user, fields = {} } of details) {
    want('user', of_user)
    for (const id of Object.keys(fields)) want('custom_field', Number(id))
  }
  for (const row of rows) {
    want(row.entity, row.first_id)
    want('mailing_list', row.mailing_list_id)
    want('user', row.user_id)
    const cause = causeEntity[row.via]
    if (cause) want(cause, row.cause_id)
  }
  const found = new Map<ChangedEntity, Map<number, RecordName>>()
  for (const [entity, ids] of wanted) found.set(entity, await recordNames(db, entity, [...ids]))
  const imports = await importNames(db, [...(wanted.get('subscriber_import') ?? [])])
  found.set('subscriber_import', new Map([...imports].map(([id, name]) => [id, { name, isGone: false }])))
  return { of: (entity, id) => found.get(entity)?.get(id) }
}

const causeEntity: Partial<Record<AuditRow['via'], ChangedEntity>> = {
  api_key: 'api_key',
  subscriber_import: 'subscriber_import',
  import_undo: 'subscriber_import',
  sync: 'sync_remote'
}

function causeName({ via, cause_id: id }: AuditRow, names: Names): string | null {
  const entity = causeEntity[via]
  return (entity && names.of(entity, id ?? 0)?.name) ?? null
}

function reference(id: number, found: RecordName | undefined): { id: number; name: string } | null {
  return found?.name == null ? null : { id, name: found.name }
}

/** Kinds of records that have no name. They exist as long as their list does. */
const nameless: readonly ChangedEntity[] = ['subscriber_export', 'bulk_action', 'suppressed_address_import']

function recordOf({ entity, first_id: id }: AuditRow, details: Details, names: Names): AuditEvent['record'] {
  const found = names.of(entity, id)
  const exists = nameless.includes(entity) || (found !== undefined && !found.isGone)
  return { id, name: details.name ?? found?.name ?? null, exists }
}

function undoOf(row: AuditRow, { removed, edited, deleted }: Details, names: Names): AuditEvent['undo'] {
  if (undoObstacle(row, Date.now()) !== null) return null
  const { entity, mailing_list_id: listId } = row
  if (entity !== 'subscriber' && !isUndoableChange(entity)) return null
  if (entity === 'settings') return 'edit'
  const isListThere = listId === null || names.of('mailing_list', listId)?.isGone === false
  if (!isListThere && entity !== 'mailing_list') return null
  const record = names.of(entity, row.first_id)
  const isThere = record !== undefined && !record.isGone
  if (isThere && edited) return 'edit'
  return !isThere && (removed !== undefined || deleted) ? 'deletion' : null
}

function signInOf({ entity, action }: AuditRow, { by, failed }: Details): AuditEvent['sign_in'] {
  return entity === 'sign_in' && action === 'create' ? (failed ?? by ?? null) : null
}

/** Facts without values. */
const facts = ['password', 'exported', 'restore_requested', 'restored', 'for_good'] as const

function changesIn(
  { fields = {}, edited, removed: _removed, deleted: _deleted, ...details }: Details,
  names: Names
): AuditEvent['changes'] {
  const change = (attribute: string | null, field: string | null, before: unknown, now: unknown) => ({
    attribute,
    field,
    before,
    now
  })
  return [
    ...Object.entries(details).flatMap(([attribute, pair]) =>
      Array.isArray(pair) ? [change(attribute, null, pair[0] ?? null, pair[1] ?? null)] : []
    ),
    ...(edited ? changesOfEdit(edited) : []),
    ...facts.filter((fact) => details[fact]).map((fact) => change(fact, null, null, null)),
    // Values are shown on the subscriber's page, which knows the types of their fields.
    ...Object.keys(fields).flatMap((id) => {
      const name = names.of('custom_field', Number(id))?.name
      return name == null ? [] : [change(null, name, null, null)]
    })
  ]
}

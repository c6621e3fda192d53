import type { AuditRow } from './queries.ts'

/** Changes that are shown as one: those of a job, or of a program that changes many subscribers in a row. */
export interface AuditGroup {
  /** The newest change. */
  row: AuditRow
  /** When the oldest change was made. */
  since: number
  /** The number of records, each counted once; null if that of an entry is not known. */
  records: number | null
  entries: number
}

const jobs: readonly AuditRow['via'][] = [
  'subscriber_import',
  'import_undo',
  'bulk_action',
  'bulk_action_undo',
  'sync'
]

/** Changes of a program further apart than this are shown separately, in milliseconds. */
const maxPause = 60 * 60 * 1000

/** Puts entries together, which are given newest first. */
export class AuditGroups {
  readonly all: AuditGroup[] = []
  readonly #ofJobs = new Map<string, AuditGroup>()
  readonly #counted = new Map<AuditGroup, Set<number>>()
  readonly #isOfOne: boolean

  /** @param isOfOne true if all entries concern one record, so that each change is shown separately */
  constructor(isOfOne = false) {
    this.#isOfOne = isOfOne
  }

  add(row: AuditRow, most: number): boolean {
    const group = this.#groupOf(row)
    const own = ownGroup(row)
    if (group) {
      group.since = row.at
      group.entries++
      if (!this.#countsAlready(group, row)) {
        group.records = group.records === null || own.records === null ? null : group.records + own.records
      }
      return true
    }
    if (this.all.length >= most) return false
    this.all.push(own)
    this.#countsAlready(own, row)
    if (isOfJob(row)) this.#ofJobs.set(keyOf(row), own)
    return true
  }

  /**
   * Adds the single record of an entry.
   * @returns true if the group contains it already
   */
  #countsAlready(group: AuditGroup, { first_id, last_id }: AuditRow): boolean {
    if (first_id !== last_id) return false
    const counted = this.#counted.get(group) ?? new Set()
    this.#counted.set(group, counted)
    const isKnown = counted.has(first_id)
    counted.add(first_id)
    return isKnown
  }

  #groupOf(row: AuditRow): AuditGroup | undefined {
    if (row.entity !== 'subscriber' || this.#isOfOne) return undefined
    // A job alternates between adding and changing, so its entries need not be adjacent.
    if (isOfJob(row)) return this.#ofJobs.get(keyOf(row))
    const last = this.all.at(-1)
    const follows =
      row.via === 'api_key' &&
      // Deleted subscribers can be restored one by one, so each keeps its entry.
      row.action !== 'delete' &&
      last?.row.entity === 'subscriber' &&
      keyOf(last.row) === keyOf(row) &&
      last.since - row.at <= maxPause
    return follows ? last : undefined
  }
}

/** Returns a group with a single entry. */
export function ownGroup(row: AuditRow): AuditGroup {
  return { row, since: row.at, records: row.records, entries: 1 }
}

function isOfJob({ via }: AuditRow): boolean {
  return jobs.includes(via)
}

function keyOf({ entity, action, via, cause_id, user_id, mailing_list_id }: AuditRow): string {
  return [entity, action, via, cause_id, user_id, mailing_list_id].join(' ')
}

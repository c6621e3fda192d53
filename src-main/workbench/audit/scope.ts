import { parseDate } from '../../base/dates.ts'
import { Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { instantOf } from '../../base/times.ts'
import type { Caller } from '../../http/caller.ts'
import type { AuditFilter } from './endpoints.ts'
import type { AuditScope } from './queries.ts'

/**
 * Converts a request's filter.
 * @throws ApiError validation_failed for invalid days, or an end before the start
 */
export function scopeOf({ organizationId, timeZone }: Caller, filter: AuditFilter): AuditScope {
  const faults = new Faults()
  for (const name of ['from', 'to'] as const) {
    if (filter[name] !== undefined && !isDay(filter[name])) {
      faults.add(refusal('day', { field: name, example: '2026-01-31' }))
    }
  }
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to) {
    faults.add(refusal('comes_before', { field: 'to', other: 'from' }))
  }
  faults.throwIfAny()
  return {
    organizationId,
    userId: filter.user_id ?? null,
    via: filter.via ?? null,
    entity: filter.entity ?? null,
    recordId: filter.record_id ?? null,
    mailingListId: filter.mailing_list_id ?? null,
    from: filter.from === undefined ? null : beginningOf(filter.from, timeZone),
    before: filter.to === undefined ? null : beginningOf(filter.to, timeZone, 1)
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseDate(text, 'mdy') !== null
}

/** Returns the instant at which the day `later` days after `day` begins in a time zone. */
function beginningOf(day: string, timeZone: string, later = 0): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return instantOf({ year, month, day: date + later }, timeZone)
}

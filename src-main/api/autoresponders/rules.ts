import { type Refusal, refusal } from '../../base/refusal.ts'
import { instantOf, wallClock } from '../../base/times.ts'
import type { AutoresponderDelayUnit } from './schema.ts'

/** docs/api.md, "Limits". */
const maxKeyLength = 50

/** True if a name matches a pattern in which * stands for any characters, ignoring case. */
export function matchesGlob(pattern: string, name: string): boolean {
  const text = name.toLowerCase()
  const parts = pattern.trim().toLowerCase().split('*')
  const [first = '', last] = [parts.shift(), parts.pop()]
  if (last === undefined) return text === first
  const end = text.length - last.length
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return false
  // Each part matches at the first place where it occurs: that leaves the most text for the parts after it,
  // so no backtracking is needed.
  let from = first.length
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}

/**
 * Returns what is wrong with the keys of content_replacement_fields (docs/api.md, "Subscribers"), or null.
 */
export function replacementKeyFault(fields: Record<string, string>): Refusal | null {
  const field = 'content_replacement_fields'
  const seen = new Map<string, string>()
  for (const key of Object.keys(fields)) {
    if (key.trim() === '') return refusal('replacement_key_blank', { field })
    if ([...key].length > maxKeyLength) {
      return refusal('replacement_key_length', { field, key, most: maxKeyLength })
    }
    if (!/[A-Za-z0-9]/.test(key)) return refusal('replacement_key_letters', { field, key })
    const same = seen.get(replacementKey(key))
    if (same !== undefined) return refusal('replacement_key_same', { field, key, same })
    seen.set(replacementKey(key), key)
  }
  return null
}

/** Normalizes a key: white space equals underscores, and case does not matter. */
export function replacementKey(key: string): string {
  return key.replaceAll(/\s/g, '_').toLowerCase()
}

interface Delay {
  delay: 'immediately' | 'with_delay'
  delay_amount: number
  delay_unit: AutoresponderDelayUnit | null
  delay_time: number
}

const minute = 60_000

/**
 * Returns when a message triggered now is due, in UNIX milliseconds. Delays of days or more end at delay_time
 * in the organization's time zone.
 */
export function dueAt(
  { delay, delay_amount: amount, delay_unit: unit, delay_time: hour }: Delay,
  now: number,
  timeZone: string
): number {
  if (delay === 'immediately' || unit === null) return now
  if (unit === 'minutes') return now + amount * minute
  if (unit === 'hours') return now + amount * 60 * minute
  const today = wallClock(now, timeZone)
  const day = { ...today, day: today.day + (unit === 'months' ? 0 : amount * (unit === 'weeks' ? 7 : 1)) }
  if (unit === 'months') {
    day.month += amount
    // In a shorter month the 31st becomes its last day.
    day.day = Math.min(day.day, new Date(Date.UTC(day.year, day.month, 0)).getUTCDate())
  }
  return Math.max(now, instantOf({ year: day.year, month: day.month, day: day.day, hour }, timeZone))
}

import type { Event } from '../api/events.ts'

/** What an event says that changed, by the names of texts. */
type ChangedText = 'email' | 'status' | 'custom_fields' | 'subscribe_time' | 'other'

/** Returns what differs between a subscriber before and after an update. */
export function changedNames({ json_before: before, json_after: after }: Event): ChangedText[] {
  if (!before || !after) return []
  const isOther = (key: 'email' | 'status' | 'custom_fields' | 'subscribe_time'): boolean =>
    JSON.stringify(before[key]) !== JSON.stringify(after[key])
  const named = (['email', 'status', 'custom_fields', 'subscribe_time'] as const).filter(isOther)
  return named.length > 0 ? named : ['other']
}

/** Statuses of people who are not to be written to any more: because they said so, or cannot be reached. */
const removedStatuses = new Set(['unsubscribed', 'scomp', 'bounced'])

export function isRemoved(status: string): boolean {
  return removedStatuses.has(status)
}

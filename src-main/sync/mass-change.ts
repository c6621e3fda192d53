/** The number and share of records that the remote may take away here before the user is asked. */
const withoutAsking = { records: 10, share: 0.1 }

/**
 * True if so many of all are taken away that the user should confirm it: the remote may have been restored
 * from a backup, or its answers may be wrong. Removing all of them always counts, however few they are.
 */
export function isMassive(count: number, total: number): boolean {
  return count > 0 && (count >= total || count > Math.max(withoutAsking.records, total * withoutAsking.share))
}

/** So many records, and this share of them, may be taken away here because the remote says so, before a person is asked. */
const withoutAsking = { records: 10, share: 0.1 }

/**
 * True if so many of all are taken away that a person is asked whether that is meant: the remote may have been restored from a backup, or
 * may answer what is not true. All of them are always that many, however few there are.
 */
export function isMassive(count: number, total: number): boolean {
  return count > 0 && (count >= total || count > Math.max(withoutAsking.records, total * withoutAsking.share))
}

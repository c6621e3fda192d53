/** A number of records, for people: 1,000,000. */
export function formatCount(records: number): string {
  return records.toLocaleString('en-US')
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

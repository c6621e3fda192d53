/** Matches what {@link fileMoment} writes, as a group of a regular expression. */
export const fileMomentPattern = String.raw`(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)`

/** A time as part of the name of a file, where Windows takes no colons: 2026-11-23T10-20-30.000Z. @param time UNIX milliseconds */
export function fileMoment(time: number): string {
  return new Date(time).toISOString().replaceAll(':', '-')
}

/** @returns UNIX milliseconds */
export function timeOfFileMoment(moment: string): number {
  return Date.parse(moment.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))
}

export const exportFileDays = 30

/** True if the file of an export that finished at a time (UNIX milliseconds) may have been deleted by age. */
export function isFileOld(finishedAt: number, now: number): boolean {
  return finishedAt < now - exportFileDays * 24 * 60 * 60 * 1000
}

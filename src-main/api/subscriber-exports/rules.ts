/** How many days the file of an export stays after it was finished. */
export const exportFileDays = 30

/** Whether the file of an export that was finished at a time (UNIX milliseconds) may have been removed by its age. */
export function isFileOld(finishedAt: number, now: number): boolean {
  return finishedAt < now - exportFileDays * 24 * 60 * 60 * 1000
}

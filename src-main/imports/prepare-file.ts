import { convertContactFile, needsConversion } from '../contact-files/formats/convert.ts'
import type { RowPlan } from './plan.ts'
import { unpackFile } from '../contact-files/formats/unpack.ts'

/**
 * Converts the file of a plan to readable CSV: from an archive, spreadsheet, vCards or another character set.
 * @param target the file to write if the source cannot be read directly
 * @returns the file to read
 * @throws ImportFailure for unreadable files; StorageFault on a full disk
 */
export async function prepareFile(
  { path, reading }: Pick<RowPlan, 'path' | 'reading'>,
  target: string,
  signal: AbortSignal
): Promise<string> {
  if (!reading || !needsConversion(reading.file)) return unpackFile(path, target, signal)
  await convertContactFile(path, reading.file, target, signal)
  return target
}

import { convertContactFile, needsConversion } from '../contact-files/formats/convert.ts'
import type { RowPlan } from './plan.ts'
import { unpack } from '../contact-files/formats/unpack.ts'

/**
 * Makes the CSV file that the rows of a plan are read from: out of an archive, a spreadsheet, vCards or another character set.
 * @param target where it is written, if it is another file than the source
 * @returns the file to read
 * @throws ImportFailure for what cannot be read; StorageFault on a full disk
 */
export async function prepareFile(
  { path, reading }: Pick<RowPlan, 'path' | 'reading'>,
  target: string,
  signal: AbortSignal
): Promise<string> {
  if (!reading || !needsConversion(reading.file)) return unpack(path, target, signal)
  await convertContactFile(path, reading.file, target, signal)
  return target
}

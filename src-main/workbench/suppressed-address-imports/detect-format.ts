import { refusal } from '../../base/refusal.ts'
import { isUtf8 } from 'node:buffer'
import { type characterSets } from '../../api/subscriber-imports/schema.ts'
import { type CsvStructure, detectStructure } from '../../contact-files/analysis/structure.ts'
import { decodeBeginning } from '../../csv/decode.ts'
import { ImportFailure } from '../../csv/failure.ts'

export interface DetectedFormat extends CsvStructure {
  character_set: (typeof characterSets)[number]
}

/**
 * Detects the format of a CSV file that is imported without a wizard.
 * @throws ImportFailure if it is none
 */
export async function detectFormat(beginning: Buffer, path: string): Promise<DetectedFormat> {
  if (beginning.length === 0) throw new ImportFailure(refusal('file_is_empty'))
  const character_set = isUtf8(wholeLines(beginning)) ? 'UTF-8' : 'ISO-8859-1'
  return { character_set, ...detectStructure(await decodeBeginning(beginning, path, character_set), {}) }
}

/** Up to the last line break, so that no character is cut in two. */
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(10)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { asFailure, unpackedBytes } from '../contact-files/formats/unpack.ts'

/** Size of the part of a file that is examined before an import, in bytes. */
const maxBytes = 128 * 1024

/**
 * The beginning of a file, unpacked when it is compressed, and the size of the file as it is.
 * @throws ImportFailure for an archive that cannot be read
 */
export async function readBeginning(path: string): Promise<{ beginning: Buffer; bytes: number }> {
  const { size } = await stat(path)
  const source = (await unpackedBytes(path)) ?? createReadStream(path, { end: maxBytes - 1 })
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
  } catch (error) {
    throw asFailure(error)
  }
  return { beginning: Buffer.concat(chunks).subarray(0, maxBytes), bytes: size }
}

import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
/** Values of many subscribers resemble each other: the fastest level makes a tenth of them. */
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Up to so many characters of text, or bytes of packed text, the work itself takes less time than handing it to another thread. */
const short = { text: 100_000, packed: 20_000 }

/** Packs a value that JSON can hold; a long one in another thread than the caller's. */
export async function packJson(value: unknown): Promise<Buffer> {
  const text = JSON.stringify(value)
  return text.length <= short.text ? zstdCompressSync(text, fastest) : compress(text, fastest)
}

export async function unpackJson(packed: Buffer): Promise<unknown> {
  const text = packed.length <= short.packed ? zstdDecompressSync(packed) : await decompress(packed)
  return JSON.parse(text.toString())
}

import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
/** Values of many subscribers resemble each other: the fastest level makes a tenth of them. */
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Characters of a text, or bytes of a packed one, up to which packing takes less than to wait for another thread. */
const short = { text: 100_000, packed: 20_000 }

/** Packs what JSON can hold; what is long, away from the thread that asks for it. */
export async function packJson(value: unknown): Promise<Buffer> {
  const text = JSON.stringify(value)
  return text.length <= short.text ? zstdCompressSync(text, fastest) : compress(text, fastest)
}

/** What {@link packJson} packed. */
export async function unpackJson(packed: Buffer): Promise<unknown> {
  const text = packed.length <= short.packed ? zstdDecompressSync(packed) : await decompress(packed)
  return JSON.parse(text.toString())
}

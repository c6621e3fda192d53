import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
/** Values of many subscribers resemble each other: the fastest level makes a tenth of them. */
const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Packs what JSON can hold, away from the thread that asks for it. */
export function packJson(value: unknown): Promise<Buffer> {
  return compress(JSON.stringify(value), fastest)
}

/** What {@link packJson} packed. */
export async function unpackJson(packed: Buffer): Promise<unknown> {
  return JSON.parse((await decompress(packed)).toString())
}

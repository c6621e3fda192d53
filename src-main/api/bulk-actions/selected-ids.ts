import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Ids in a part of a selection, which is one step of an action. */
export const idsPerPart = 250

export interface SelectedPart {
  lastId: number
  ids: Uint8Array
}

/** Packs ascending ids as distances, which takes nearly nothing for a whole list. */
export function packIds(ids: Float64Array): SelectedPart[] {
  const parts: SelectedPart[] = []
  for (let start = 0; start < ids.length; start += idsPerPart) {
    const part = ids.subarray(start, start + idsPerPart)
    const steps = part.map((id, index) => id - (part[index - 1] ?? 0))
    // A copy: the packed bytes are part of a larger buffer, and posting them would send all of that buffer to
    // the other thread.
    parts.push({
      lastId: part.at(-1) ?? 0,
      ids: Uint8Array.from(zstdCompressSync(new Uint8Array(steps.buffer)))
    })
  }
  return parts
}

export function unpackIds(packed: Uint8Array): number[] {
  const { buffer, byteOffset, byteLength } = zstdDecompressSync(packed)
  const steps = new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
  let id = 0
  return Array.from(steps, (step) => (id += step))
}

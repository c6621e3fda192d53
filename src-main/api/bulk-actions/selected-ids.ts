import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Ids of one part of a selection: as many as a step of an action deals with. */
export const idsPerPart = 250

/** A part of a selection as it is stored. */
export interface SelectedPart {
  lastId: number
  ids: Uint8Array
}

/** Packs ids in ascending order. What is packed is how far each is from the one before: nearly nothing for a whole list. */
export function packIds(ids: Float64Array): SelectedPart[] {
  const parts: SelectedPart[] = []
  for (let start = 0; start < ids.length; start += idsPerPart) {
    const part = ids.subarray(start, start + idsPerPart)
    const steps = part.map((id, index) => id - (part[index - 1] ?? 0))
    // A copy of its own: what is packed lies in a larger buffer, all of which would cross to another thread.
    parts.push({
      lastId: part.at(-1) ?? 0,
      ids: Uint8Array.from(zstdCompressSync(new Uint8Array(steps.buffer)))
    })
  }
  return parts
}

/** The ids of a part. */
export function unpackIds(packed: Uint8Array): number[] {
  const { buffer, byteOffset, byteLength } = zstdDecompressSync(packed)
  const steps = new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength))
  let id = 0
  return Array.from(steps, (step) => (id += step))
}

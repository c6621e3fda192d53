import xxhash, { type XXHashAPI } from 'xxhash-wasm'
import type { Person, Value } from './person.ts'

// What both sides last agreed on of a subscriber: for each slot that is not blank its number and 48 bits of a hash of the value.
// That tells who changed what since, at 7 bytes for most slots; the values themselves are on both sides.

/** Slot -> hash of the value. */
export type Agreed = Map<number, number>

const hashBytes = 6
/** Any two that differ: of 64 bits 48 are kept. */
const seeds = [0, 0x5eed] as const

const hashes: XXHashAPI = await xxhash()

/** 48 bits that tell values apart. */
export function hashOf(value: Value): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return hashes.h32(text, seeds[0]) * 0x1_0000 + (hashes.h32(text, seeds[1]) & 0xffff)
}

export function agreedOn(person: Person): Agreed {
  const agreed: Agreed = new Map()
  for (const [slot, value] of person) agreed.set(slot, hashOf(value))
  return agreed
}

/** As it is kept: the slots in ascending order, each as the distance to the one before, in as few bytes as it needs. */
export function packAgreed(agreed: Agreed): Uint8Array {
  const bytes = Buffer.allocUnsafe(agreed.size * (hashBytes + 5))
  let at = 0
  let before = 0
  for (const [slot, hash] of [...agreed].sort(([a], [b]) => a - b)) {
    let distance = slot - before
    for (; distance > 0x7f; distance = Math.floor(distance / 0x80)) bytes[at++] = (distance & 0x7f) | 0x80
    bytes[at++] = distance
    at = bytes.writeUIntBE(hash, at, hashBytes)
    before = slot
  }
  // Out of Node's pool: a buffer of its own for each of a million takes several times as much memory.
  return Buffer.from(bytes.subarray(0, at))
}

export function unpackAgreed(packed: Uint8Array): Agreed {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  const agreed: Agreed = new Map()
  let slot = 0
  for (let at = 0; at < bytes.length; at += hashBytes) {
    let byte: number
    let factor = 1
    do {
      byte = bytes.readUInt8(at++)
      slot += (byte & 0x7f) * factor
      factor *= 0x80
    } while (byte & 0x80)
    agreed.set(slot, bytes.readUIntBE(at, hashBytes))
  }
  return agreed
}

/** Whether a person is what was agreed on, in every slot of either. */
export function isAsAgreed(person: Person, agreed: Agreed): boolean {
  if (person.size !== agreed.size) return false
  for (const [slot, value] of person) if (agreed.get(slot) !== hashOf(value)) return false
  return true
}

import xxhash, { type XXHashAPI } from 'xxhash-wasm'
import type { Person, Value, Values } from './person.ts'

// What both sides last agreed on of a subscriber: for each slot that is not blank its number and 48 bits of a hash of the value.
// That tells who changed what since, at 7 bytes for most slots; the values themselves are on both sides.

/** Slot -> hash of the value. */
export type Agreed = Map<number, number>

const hashBytes = 6
/** Two arbitrary different seeds. Their hashes give 64 bits, of which 48 are kept. */
const seeds = [0, 0x5eed] as const

const hashes: XXHashAPI = await xxhash()

/** Caches the hashes of frequent values such as statuses and cities. */
const known = new Map<string, number>()
const maxKnown = 10_000
/** Longer texts are hardly ever the same: addresses, notes. */
const maxKnownLength = 24

/** Returns 48 bits that identify a value. */
export function hashOf(value: Value): number {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (text.length > maxKnownLength) return hashOfText(text)
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size >= maxKnown) known.clear()
  const hash = hashOfText(text)
  known.set(text, hash)
  return hash
}

function hashOfText(text: string): number {
  return hashes.h32(text, seeds[0]) * 0x1_0000 + (hashes.h32(text, seeds[1]) & 0xffff)
}

export function agreedOn(person: Person): Agreed {
  const agreed: Agreed = new Map()
  for (const [slot, value] of person) agreed.set(slot, hashOf(value))
  return agreed
}

/**
 * Packs an agreed state: the slots in ascending order, each as a variable-length distance to the previous
 * one.
 */
export function packAgreed(agreed: Agreed): Uint8Array {
  const packer = new Packer(agreed.size)
  for (const [slot, hash] of [...agreed].sort(([a], [b]) => a - b)) packer.add(slot, hash)
  return packer.packed()
}

/** The same of values that both sides have. @param slots of each, ascending */
export function packValues(values: Values, slots: readonly number[]): Uint8Array {
  const packer = new Packer(slots.length)
  for (const [at, slot] of slots.entries()) {
    const value = values[at]
    if (value !== undefined) packer.add(slot, hashOf(value))
  }
  return packer.packed()
}

/** Slots and hashes on their way into bytes that are used again and again. */
class Packer {
  static #bytes = Buffer.alloc(1024)
  #at = 0
  #before = 0

  constructor(slots: number) {
    const length = slots * (hashBytes + 5)
    if (Packer.#bytes.length < length) Packer.#bytes = Buffer.alloc(length)
  }

  add(slot: number, hash: number): void {
    const bytes = Packer.#bytes
    let distance = slot - this.#before
    for (; distance > 0x7f; distance = Math.floor(distance / 0x80))
      bytes[this.#at++] = (distance & 0x7f) | 0x80
    bytes[this.#at++] = distance
    this.#at = bytes.writeUIntBE(hash, this.#at, hashBytes)
    this.#before = slot
  }

  /** Out of Node's pool: a buffer of its own for each of a million takes several times as much memory. */
  packed(): Uint8Array {
    return Buffer.from(Packer.#bytes.subarray(0, this.#at))
  }
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

export function isSamePacked(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** True if a subscriber equals the agreed state in every slot. */
export function isAsAgreed(person: Person, agreed: Agreed): boolean {
  if (person.size !== agreed.size) return false
  for (const [slot, value] of person) if (agreed.get(slot) !== hashOf(value)) return false
  return true
}

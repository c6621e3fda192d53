import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { makeToken, type TokenContent, type TokenPurpose } from '../api/subscribers/tokens.ts'
import { digestOfSecret } from '../gates/keys.ts'
import type { GateContent, GateContents } from '../gates/protocol.ts'
import type { GateStore } from './store.ts'

/** Characters of contents that are kept in memory: a campaign has one or few. */
const mostCached = 8 * 1024 * 1024

/** What the application has handed over to a gate. */
export class HandedOver {
  readonly #store: GateStore
  readonly #contents = new Map<string, GateContent>()
  /** Characters of each, and of all. */
  readonly #sizes = new Map<string, number>()
  #size = 0
  #secret: KeyObject | null

  constructor(store: GateStore) {
    this.#store = store
    const stored = store.setting('link_secret')
    this.#secret = stored === null ? null : createSecretKey(Buffer.from(stored, 'hex'))
  }

  /** Checks links; null = the gate belongs to no application yet. */
  get linkSecret(): KeyObject | null {
    return this.#secret
  }

  get secretDigest(): string | null {
    return this.#secret && digestOfSecret(this.#secret)
  }

  /** @param secret hex. @returns false if the gate belongs to another application */
  takeSecret(secret: string): boolean {
    const given = createSecretKey(Buffer.from(secret, 'hex'))
    if (this.#secret) return this.#secret.equals(given)
    this.#store.setSetting('link_secret', secret)
    this.#secret = given
    return true
  }

  /** Returns the token of another purpose for the same recipient. */
  tokenFor(purpose: TokenPurpose, named: TokenContent, otherwise: string): string {
    return this.#secret ? makeToken(this.#secret, purpose, named) : otherwise
  }

  content(key: string): GateContent | undefined {
    const known = this.#contents.get(key)
    if (known) return known
    const body = this.#store.content(key)
    if (body === null) return undefined
    // It was checked when it was handed over.
    const content = JSON.parse(body) as GateContent
    this.#contents.set(key, content)
    this.#sizes.set(key, body.length)
    this.#size += body.length
    // The one that was just read stays, however large it is.
    for (const oldest of this.#contents.keys()) {
      if (this.#size <= mostCached || oldest === key) break
      this.#forget(oldest)
    }
    return content
  }

  #forget(key: string): void {
    this.#size -= this.#sizes.get(key) ?? 0
    this.#sizes.delete(key)
    this.#contents.delete(key)
  }

  putContent(key: string, content: GateContent): void {
    const body = JSON.stringify(content)
    this.#store.putContent(key, createHash('sha256').update(body).digest('hex'), body)
    this.#forget(key)
  }

  image(key: string): { media_type: string; bytes: Buffer } | undefined {
    return this.#store.image(key)
  }

  putImage(key: string, mediaType: string, bytes: Buffer): void {
    this.#store.putImage(key, mediaType, bytes)
  }

  list(): GateContents {
    return this.#store.contents()
  }
}

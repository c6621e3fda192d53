import { createPrivateKey } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { Kysely } from 'kysely'
import { dkimKeysOf } from '../api/dkim-keys/queries.ts'
import type { Credentials } from '../base/credentials.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import type { Schema } from '../database/schema.ts'
import type { DkimSigner } from './mime/dkim.ts'

/** A DKIM key as threads get it. */
export interface SigningKey {
  domain: string
  selector: string
  /** PEM; null = it cannot be read. */
  privateKey: string | null
}

/** Returns the keys of an organization that sign, the newest of each domain first. */
export async function signingKeysOf(
  db: Kysely<Schema>,
  organizationId: number,
  credentials: Pick<Credentials, 'read'>
): Promise<SigningKey[]> {
  const rows = (await dkimKeysOf(db, organizationId)).filter((row) => row.is_enabled === 1)
  return Promise.all(
    rows.map(async ({ id, domain, selector, credential_place: place }) => ({
      domain,
      selector,
      privateKey: place && (await credentials.read(`dkim-${id}`, place))
    }))
  )
}

/**
 * Chooses the key for a sender: that of its domain, or else of the nearest domain above it.
 * @returns null if messages stay unsigned
 * @throws TypeError if the key cannot be read; {@link signingFault} says so before
 */
export function signerFor(sender: string, keys: readonly SigningKey[]): DkimSigner | null {
  const key = keyFor(sender, keys)
  if (!key) return null
  const { domain, selector, privateKey } = key
  return { domain, selector, privateKey: createPrivateKey(privateKey ?? '') }
}

/** Returns why messages of a sender could not be signed as the user asked for; null = they can. */
export function signingFault(sender: string, keys: readonly SigningKey[]): Refusal | null {
  const key = keyFor(sender, keys)
  return key?.privateKey === null ? refusal('dkim_key_locked', { domain: key.domain }) : null
}

export function keyFor<Key extends { domain: string }>(sender: string, keys: readonly Key[]): Key | null {
  const domain = domainToASCII(sender.slice(sender.lastIndexOf('@') + 1).toLowerCase())
  const covering = keys.filter((key) => domain === key.domain || domain.endsWith(`.${key.domain}`))
  return covering.sort((a, b) => b.domain.length - a.domain.length)[0] ?? null
}

import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { domainToASCII } from 'node:url'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { isDomain } from '../subscribers/rules.ts'

/** Mailbox providers ignore shorter keys, and not all read longer ones (RFC 8301 section 3.2). */
const [minBits, maxBits] = [1024, 4096]

/**
 * Returns a domain as signatures and DNS have it: in lower case and ASCII.
 * @throws ApiError validation_failed
 */
export function signingDomain(text: string): string {
  const domain = text.trim().toLowerCase().replace(/^@/, '').replace(/\.$/, '')
  const encoded = domainToASCII(domain)
  if (!isDomain(domain) || encoded === '')
    throw validationFailed(refusal('domain', { field: 'domain', domain }))
  return encoded
}

/** @throws ApiError validation_failed for anything that cannot be the first part of a domain */
export function checkedSelector(text: string): string {
  const selector = text.trim().toLowerCase()
  if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/.test(selector)) {
    throw validationFailed(refusal('dkim_selector', { field: 'selector', selector }))
  }
  return selector
}

/**
 * Reads an RSA private key.
 * @param pem PKCS #1 or PKCS #8
 * @throws ApiError validation_failed: Ed25519 keys too, whose signatures most mailbox providers do not check
 */
export function readPrivateKey(pem: string): KeyObject {
  const field = 'private_key'
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw validationFailed(refusal('dkim_key_unreadable', { field }))
  }
  const type = key.asymmetricKeyType ?? ''
  if (type !== 'rsa') throw validationFailed(refusal('dkim_key_not_rsa', { field, type }))
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < minBits || bits > maxBits) {
    throw validationFailed(refusal('dkim_key_length', { field, bits, least: minBits, most: maxBits }))
  }
  return key
}

const generate = promisify(generateKeyPair)

export async function createSigningKey(): Promise<KeyObject> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 })
  return privateKey
}

/** Returns the public half of a private key: DER (SPKI) in base64. */
export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')
}

/** The TXT record of a key (RFC 6376 section 3.6.1). */
export function dnsRecordOf(key: { domain: string; selector: string; public_key: string }): {
  name: string
  value: string
} {
  return {
    name: `${key.selector}._domainkey.${key.domain}`,
    value: `v=DKIM1; k=rsa; p=${key.public_key}`
  }
}

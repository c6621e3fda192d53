import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual
} from 'node:crypto'

// A gate may stand on a server that others administer. It has a secret of its own, with which it checks links, and pages that only a link opens: a copy of
// its disk shows no page.

/**
 * Returns the secret with which an organization's links through gates are signed. Each has its own, since its administrators choose the servers
 * that get it.
 * @param secret of this installation
 */
export function gateSecretOf(secret: KeyObject, organizationId: number): KeyObject {
  return createSecretKey(createHmac('sha256', secret).update(`gate ${organizationId}`).digest())
}

export function digestOfSecret(secret: KeyObject): string {
  return createHash('sha256').update(secret.export()).digest('hex')
}

/** Returns the part of a link that opens the pages of a content: 22 characters of base64url. @param content its key */
export function pageKeyOf(secret: KeyObject, content: string): string {
  return createHmac('sha256', secret).update(`page ${content}`).digest().subarray(0, 16).toString('base64url')
}

/** Encrypts a text (AES-128-GCM) for those who have the page key. */
export function sealText(pageKey: string, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-128-gcm', Buffer.from(pageKey, 'base64url'), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** @returns null if the key does not fit */
export function openText(pageKey: string, sealed: string): string | null {
  const key = Buffer.from(pageKey, 'base64url')
  const bytes = Buffer.from(sealed, 'base64')
  if (key.length !== 16 || bytes.length < 28) return null
  const decipher = createDecipheriv('aes-128-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(12, 28))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    // Node throws for a tag that does not fit, which only a wrong key or a damaged file causes.
    return null
  }
}

/** Signs the target of a link whose address holds codes: 32 hex digits. @param gateSecret of {@link gateSecretOf} */
export function targetSignature(
  gateSecret: KeyObject,
  linkId: number,
  token: string,
  target: string
): string {
  return createHmac('sha256', gateSecret)
    .update(`target ${linkId} ${token} ${target}`)
    .digest('hex')
    .slice(0, 32)
}

/** Compares two texts in a time that tells nothing about them. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

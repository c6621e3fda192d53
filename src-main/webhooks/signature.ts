import { createHmac } from 'node:crypto'

/**
 * Signs a message with each secret, as Standard Webhooks specifies.
 * @param timestamp UNIX seconds
 * @param secrets "whsec_" and Base64
 * @returns the value of the header `webhook-signature`
 */
export function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  secrets: readonly string[]
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
}

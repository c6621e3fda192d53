import { Ajv } from 'ajv'
import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { Credentials } from '../../base/credentials.ts'
import { notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { WebhookRow } from './queries.ts'

const StoredSecrets = Type.Array(
  Type.Object({ id: Type.Integer(), created_at: Type.Integer(), secret: Type.String() })
)
export type StoredSecrets = Static<typeof StoredSecrets>
type StoredSecret = StoredSecrets[number]
const areSecrets = new Ajv().compile<StoredSecrets>(StoredSecrets)

/** Most secrets at once: one in use, and those that it replaces. */
const maxSecrets = 4

export const webhookSecretOwner = (id: number): `webhook-${number}` => `webhook-${id}`

/** Reads what the credentials of a webhook hold. @returns none for what cannot be read */
export function parseSecrets(stored: string | null): StoredSecrets {
  if (stored === null) return []
  const secrets: unknown = JSON.parse(stored)
  return areSecrets(secrets) ? secrets : []
}

type Owner = Pick<WebhookRow, 'id' | 'credential_place'>

export async function readSecrets(
  credentials: Pick<Credentials, 'read'>,
  { id, credential_place: place }: Owner
): Promise<StoredSecrets> {
  return place === null ? [] : parseSecrets(await credentials.read(webhookSecretOwner(id), place))
}

/** Returns secrets with a new one (Standard Webhooks: 24 to 64 random bytes). @throws ApiError validation_failed if there are too many */
export function withNewSecret(
  secrets: StoredSecrets,
  now: number
): { all: StoredSecrets; made: StoredSecret } {
  if (secrets.length >= maxSecrets)
    throw validationFailed(refusal('webhook_secrets_most', { most: maxSecrets }))
  const id = Math.max(0, ...secrets.map((each) => each.id)) + 1
  const made = { id, created_at: now, secret: `whsec_${randomBytes(24).toString('base64')}` }
  return { all: [...secrets, made], made }
}

/** @throws ApiError not_found; validation_failed for the only one */
export function withoutSecret(secrets: StoredSecrets, id: number): StoredSecrets {
  if (!secrets.some((each) => each.id === id)) throw notFound('secret', id)
  if (secrets.length === 1) throw validationFailed(refusal('webhook_last_secret'))
  return secrets.filter((each) => each.id !== id)
}

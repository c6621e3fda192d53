import { join } from 'node:path'
import { makeToken, type TokenContent, type TokenPurpose } from '../../src-main/api/subscribers/tokens.ts'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { signingSecret } from '../../src-main/settings/queries.ts'
import type { StartedApplication } from './application.ts'

export function unsubscribeTokenOf(started: StartedApplication, subscriberId: number): Promise<string> {
  return tokenOf(started, 'unsubscribe', { subscriberId, sliceId: 0 })
}

/** A token as the application makes it for the links of its messages. */
export async function tokenOf(
  { dataDirectory }: StartedApplication,
  purpose: TokenPurpose,
  content: TokenContent
): Promise<string> {
  const database = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
  try {
    return makeToken(await signingSecret(database), purpose, content)
  } finally {
    await database.destroy()
  }
}

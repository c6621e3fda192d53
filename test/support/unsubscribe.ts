import { join } from 'node:path'
import { makeToken } from '../../src-main/api/subscribers/tokens.ts'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { signingSecret } from '../../src-main/settings/queries.ts'
import type { StartedApplication } from './application.ts'

/** What a message to the subscriber would hold in place of %%unsubscribe_token%%. */
export async function unsubscribeTokenOf(
  { dataDirectory }: StartedApplication,
  subscriberId: number
): Promise<string> {
  const database = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
  try {
    return makeToken(await signingSecret(database), 'unsubscribe', { subscriberId: subscriberId, sliceId: 0 })
  } finally {
    await database.destroy()
  }
}

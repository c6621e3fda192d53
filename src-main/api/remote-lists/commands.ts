import type { OperandValueExpressionOrList } from 'kysely'
import type { CommandContext } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import { emailHashOf } from './email-hash.ts'

interface HandedOver {
  seq_id: number
  email: string
  distinct_id: number | null
}

/** Stores the recipients of messages that are about to be sent: links, bounces and complaints name them later. */
export async function storeRemoteRecipients(
  { sqlite }: CommandContext,
  campaignId: number,
  recipients: readonly HandedOver[]
): Promise<void> {
  if (recipients.length === 0) return
  const insert = sqlite.prepare(
    'INSERT INTO remote_recipients (campaign_id, seq_id, email, email_hash, distinct_id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING'
  )
  for (const { seq_id, email, distinct_id } of recipients) {
    insert.run(campaignId, seq_id, email, emailHashOf(email), distinct_id)
  }
}

/** Has campaigns that wait for their database try to read it at once, with all of their attempts. */
export async function retryReading(
  { db }: Pick<CommandContext, 'db'>,
  campaignIds: OperandValueExpressionOrList<Schema, 'deliveries', 'campaign_id'>
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ waits_until: null, waits_for: null, reading_failures: 0 })
    .where('waits_for', '=', 'database')
    .where('campaign_id', 'in', campaignIds)
    .execute()
}

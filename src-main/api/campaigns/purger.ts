import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { purger, type StepLoop } from '../../jobs/step-loop.ts'

/**
 * Deletes the recipient data of deleted campaigns that can no longer be restored, step by step; links of
 * their messages still work.
 */
export function deletedCampaignPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return purger(
    {
      name: 'Removing the events of a deleted campaign',
      entities: ['campaign', 'mailing_list'],
      next: async () => (await firstDeleted(reader)) ?? firstOfDeletedList(reader),
      purge: ({ id }) => writer.run('campaigns.purge', { id })
    },
    writer
  )
}

function firstDeleted(reader: Kysely<Schema>): Promise<{ id: number } | undefined> {
  return reader
    .selectFrom('campaigns')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where('expired', '=', 1)
    .where('purged_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst()
}

function firstOfDeletedList(reader: Kysely<Schema>): Promise<{ id: number } | undefined> {
  return reader
    .selectFrom('mailing_lists')
    .innerJoin('campaigns', 'campaigns.mailing_list_id', 'mailing_lists.id')
    .select('campaigns.id')
    .where('mailing_lists.deleted_at', 'is not', null)
    .where('mailing_lists.expired', '=', 1)
    .where('campaigns.purged_at', 'is', null)
    .executeTakeFirst()
}

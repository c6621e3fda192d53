import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { purger, type StepLoop } from '../../jobs/step-loop.ts'

/** Removes what the recipients of deleted campaigns did, bit by bit; the links of their messages lead on. */
export function deletedCampaignPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return purger(
    {
      name: 'Removing the events of a deleted campaign',
      entity: 'campaign',
      next: () =>
        reader
          .selectFrom('campaigns')
          .select('id')
          .where('deleted_at', 'is not', null)
          .where('purged_at', 'is', null)
          .orderBy('id')
          .executeTakeFirst(),
      purge: ({ id }) => writer.run('campaigns.purge', { id })
    },
    writer
  )
}

import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { leavingTime, StepLoop } from '../../jobs/step-loop.ts'

/** Removes what the recipients of deleted campaigns did, bit by bit; the links of their messages lead on. */
export function deletedCampaignPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return new StepLoop(
    {
      name: 'Removing the events of a deleted campaign',
      next: () =>
        reader
          .selectFrom('campaigns')
          .select('id')
          .where('deleted_at', 'is not', null)
          .where('purged_at', 'is', null)
          .orderBy('id')
          .executeTakeFirst(),
      step: ({ id }) => leavingTime(() => writer.run('campaigns.purge', { id })),
      isMadeBy: ({ entity, action }) => entity === 'campaign' && action === 'delete'
    },
    writer
  )
}

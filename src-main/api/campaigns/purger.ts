import type { Kysely } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { StepLoop } from '../../jobs/step-loop.ts'

/** What a step took may have been waiting; the end of the application waits for the pause. In milliseconds. */
const maxPause = 500

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
      step: async ({ id }) => {
        const began = performance.now()
        const more = await writer.run('campaigns.purge', { id })
        // The disk gets as long to take what was written as the writing took.
        await pause(Math.min(maxPause, 2 * (performance.now() - began)))
        return more
      },
      isMadeBy: ({ entity, action }) => entity === 'campaign' && action === 'delete'
    },
    writer
  )
}

import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { leavingTime, StepLoop } from '../../jobs/step-loop.ts'

/** Removes the subscribers of deleted lists bit by bit. */
export function deletedListPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return new StepLoop(
    {
      name: 'Removing the subscribers of a deleted list',
      next: () =>
        reader
          .selectFrom('mailing_lists')
          .select('id')
          .where('deleted_at', 'is not', null)
          .where('purged_at', 'is', null)
          .orderBy('id')
          .executeTakeFirst(),
      step: ({ id }) => leavingTime(() => writer.run('mailingLists.purge', { mailingListId: id })),
      isMadeBy: ({ entity, action }) => entity === 'mailing_list' && action === 'delete'
    },
    writer
  )
}

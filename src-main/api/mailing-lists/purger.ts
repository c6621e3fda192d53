import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { purger, type StepLoop } from '../../jobs/step-loop.ts'

/** Deletes the subscribers of deleted lists that can no longer be restored, step by step. */
export function deletedListPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return purger(
    {
      name: 'Removing the subscribers of a deleted list',
      entities: ['mailing_list'],
      next: () =>
        reader
          .selectFrom('mailing_lists')
          .select('id')
          .where('deleted_at', 'is not', null)
          .where('expired', '=', 1)
          .where('purged_at', 'is', null)
          .orderBy('id')
          .executeTakeFirst(),
      purge: ({ id }) => writer.run('mailingLists.purge', { mailingListId: id })
    },
    writer
  )
}

import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { leavingTime, StepLoop } from '../../jobs/step-loop.ts'

/** Empties the queues of deleted autoresponders bit by bit. */
export function deletedAutoresponderPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return new StepLoop(
    {
      name: 'Emptying the queue of a deleted autoresponder',
      next: () => reader.selectFrom('deleted_autoresponders').select('id').orderBy('id').executeTakeFirst(),
      step: ({ id }) => leavingTime(() => writer.run('autoresponders.purge', { id })),
      isMadeBy: ({ entity, action }) => entity === 'autoresponder' && action === 'delete'
    },
    writer
  )
}

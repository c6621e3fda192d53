import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { purger, type StepLoop } from '../../jobs/step-loop.ts'

export function deletedAutoresponderPurger(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return purger(
    {
      name: 'Emptying the queue of a deleted autoresponder',
      entities: ['autoresponder'],
      next: () => reader.selectFrom('deleted_autoresponders').select('id').orderBy('id').executeTakeFirst(),
      purge: ({ id }) => writer.run('autoresponders.purge', { id })
    },
    writer
  )
}

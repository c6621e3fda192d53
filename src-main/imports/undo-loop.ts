import type { Kysely } from 'kysely'
import { nextUndo } from './undo-queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { StepLoop } from '../jobs/step-loop.ts'

export function importUndoer(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return new StepLoop(
    {
      name: 'Undoing an import',
      next: () => nextUndo(reader),
      step: ({ id }) => writer.run('importUndos.continue', { id }),
      isMadeBy: ({ entity, action }) => entity === 'subscriber_import' && action === 'update'
    },
    writer
  )
}

import { type Refusal } from '../base/refusal.ts'
import type { Kysely } from 'kysely'
import { nextBulkAction } from '../api/bulk-actions/queries.ts'
import { ApiError, internalError, refusalOf, storageFaultOf } from '../base/errors.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { StepLoop } from '../jobs/step-loop.ts'

/** Runs bulk actions and their undo step by step. One that fails does not block others. */
export function bulkActionLoop(reader: Kysely<Schema>, writer: Writer): StepLoop<{ id: number }> {
  return new StepLoop(
    {
      name: 'A bulk action',
      next: () => nextBulkAction(reader),
      step: async ({ id }) => {
        try {
          return await writer.run('bulkActions.continue', { id })
        } catch (error) {
          if (storageFaultOf(error)) throw error
          await writer.run('bulkActions.fail', { id, fault: faultOf(error) })
          return false
        }
      },
      isMadeBy: ({ entity, action }) => entity === 'bulk_action' && action !== 'delete'
    },
    writer
  )
}

/** A missing record, such as the target list, is not a fault of ours. */
function faultOf(error: unknown): Refusal {
  return error instanceof ApiError ? refusalOf(error) : internalError('The bulk action', error)
}

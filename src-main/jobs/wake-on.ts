import type { Change } from '../database/command.ts'
import type { ChangedEntity } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../base/errors.ts'

/**
 * Looks for jobs that are due, or stopped being, after each commit that changed one of their kind; the jobs of a list end
 * with the list.
 */
export function wakeOn(
  writer: Pick<Writer, 'onChanges'>,
  kind: ChangedEntity,
  wake: () => Promise<void>
): void {
  const concerns = ({ entity, action }: Change): boolean =>
    entity === kind || (entity === 'mailing_list' && action === 'delete')
  writer.onChanges((changes) => {
    if (!changes.some(concerns)) return
    wake().catch((error: unknown) =>
      process.stderr.write(`Looking for jobs of the kind ${kind} failed: ${messageOf(error)}\n`)
    )
  })
}

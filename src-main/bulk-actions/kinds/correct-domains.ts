import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import type { BulkActionSettings } from '../../api/bulk-actions/rules.ts'
import { recordSubscribers } from '../../api/subscribers/record-changes.ts'
import { emailKey } from '../../api/subscribers/rules.ts'
import type { CommandContext } from '../../database/command.ts'
import { overwriterOf, subscribersWithIds, untouchedSince } from '../subscribers.ts'
import { type BulkWork, type Kept, notesOf } from '../work.ts'

/** A subscriber's id, its email and its updated_at before the change. */
type EmailNote = [id: number, email: string, updatedAt: number]

/**
 * Corrects domains in subscribers' emails. A subscriber is skipped if the list already has the corrected
 * email.
 */
export function correctingDomains(
  context: CommandContext,
  action: BulkActionRow,
  { domains }: Extract<BulkActionSettings, { kind: 'correct_domains' }>
): BulkWork<EmailNote> {
  const listId = action.mailing_list_id
  const overwrite = overwriterOf(context)

  return {
    async apply(ids) {
      const notes: EmailNote[] = []
      const kept: Kept[] = []
      let same = 0
      for (const row of await subscribersWithIds(context, listId, ids)) {
        const { id } = row
        const right = domains[row.email_key.slice(row.email_key.lastIndexOf('@') + 1)]
        if (right === undefined) {
          same++
          continue
        }
        const email = row.email.slice(0, row.email.lastIndexOf('@') + 1) + right
        const isWritten = overwrite({ ...row, email, email_key: emailKey(email), updated_at: context.now })
        if (isWritten) notes.push([id, row.email, row.updated_at])
        else kept.push({ id, email: row.email, reason: 'address_taken', detail: email })
      }
      const changed = notes.map(([id]) => id)
      recordSubscribers(context, action, 'update', changed)
      return { notes, same, kept }
    },

    async takeBack(notes, writtenAt) {
      const former = new Map(notes.map((note) => [note[0], note]))
      const { rows, kept } = await untouchedSince(context, listId, [...former.keys()], writtenAt)
      const restored: number[] = []
      for (const row of rows) {
        const [id, email, updatedAt] = former.get(row.id) ?? [row.id, row.email, row.updated_at]
        const isWritten = overwrite({ ...row, email, email_key: emailKey(email), updated_at: updatedAt })
        if (isWritten) restored.push(id)
        else kept.push({ id, email: row.email, reason: 'key_taken' })
      }
      recordSubscribers(context, action, 'update', restored)
      return { restored: restored.length, kept, left: notesOf(notes, kept) }
    },

    finish: () => Promise.resolve()
  }
}

import type { CommandContext } from '../../database/command.ts'

/** Reads the next free id of the subscribers table. The caller gives back what it used with {@link useSubscriberIds}. */
export async function nextSubscriberId(context: CommandContext): Promise<number> {
  const row = await context.db
    .selectFrom('id_sequences')
    .select('next_id')
    .where('name', '=', 'subscribers')
    .executeTakeFirstOrThrow()
  return row.next_id
}

/** Marks all ids below `nextId` as used, so that none is given out twice. */
export async function useSubscriberIds(context: CommandContext, nextId: number): Promise<void> {
  await context.db
    .updateTable('id_sequences')
    .set({ next_id: nextId })
    .where('name', '=', 'subscribers')
    .execute()
}

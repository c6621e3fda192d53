import type { CommandContext } from '../../database/command.ts'
import { compiledQuery } from '../../database/compiled-query.ts'

/** Reads the next free id of the subscribers table. The caller gives back what it used with {@link useSubscriberIds}. */
export async function nextSubscriberId(context: CommandContext): Promise<number> {
  const [sequence] = await readSequence(context.db, {})
  if (!sequence) throw new Error(noSequence)
  return sequence.next_id
}

/** Marks all ids below `nextId` as used, so that none is given out twice. */
export async function useSubscriberIds(context: CommandContext, nextId: number): Promise<void> {
  await updateSequence(context.db, { nextId })
}

/** Takes one id. */
export async function takeSubscriberId({ db }: CommandContext): Promise<number> {
  const [sequence] = await advanceSequence(db, {})
  if (!sequence) throw new Error(noSequence)
  return sequence.next_id - 1
}

const noSequence = 'the ids of subscribers have no sequence'

const advanceSequence = compiledQuery<object, { next_id: number }>((db) =>
  db
    .updateTable('id_sequences')
    .set((sequence) => ({ next_id: sequence('next_id', '+', 1) }))
    .where('name', '=', 'subscribers')
    .returning('next_id')
)

const readSequence = compiledQuery<object, { next_id: number }>((db) =>
  db.selectFrom('id_sequences').select('next_id').where('name', '=', 'subscribers')
)

const updateSequence = compiledQuery<{ nextId: number }, unknown>((db, value) =>
  db
    .updateTable('id_sequences')
    .set({ next_id: value('nextId') })
    .where('name', '=', 'subscribers')
)

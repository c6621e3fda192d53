import type { Command } from '../../database/command.ts'

interface DraftKey {
  userId: number
  organizationId: number
  name: string
}

const storeDraftState: Command<
  DraftKey & { title: string; path: string; base: string; state: string },
  void
> = async (context, { userId, organizationId, name, ...written }) => {
  const row = { ...written, updated_at: context.now }
  await context.db
    .insertInto('drafts')
    .values({ user_id: userId, organization_id: organizationId, name, ...row })
    .onConflict((conflict) => conflict.columns(['user_id', 'organization_id', 'name']).doUpdateSet(row))
    .execute()
}

const deleteDraftState: Command<DraftKey, void> = async (context, { userId, organizationId, name }) => {
  await context.db
    .deleteFrom('drafts')
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .execute()
}

/** Drops drafts that were last changed before a time (UNIX milliseconds). */
const deleteDraftsBefore: Command<{ time: number }, void> = async (context, { time }) => {
  await context.db.deleteFrom('drafts').where('updated_at', '<', time).execute()
}

export const draftCommands = {
  save: storeDraftState,
  delete: deleteDraftState,
  deleteBefore: deleteDraftsBefore
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    drafts: typeof draftCommands
  }
}

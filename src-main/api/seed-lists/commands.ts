import { type Command, recordRow } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { Faults } from '../../base/errors.ts'
import { refusalAt } from '../../base/refusal.ts'
import { campaignsUsing } from '../campaigns/uses.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { namesOf, requireFreeName } from '../../http/names.ts'
import { emailComplaint, emailKey, isEmail } from '../subscribers/rules.ts'
import { listsWithSeedList, seedListById, type SeedListRow, seedListsOf } from './queries.ts'
import type { SeedListChanges, SeedListInput } from './schema.ts'

export const seedListTables: RecordTables = { entity: 'seed_list', table: 'seed_lists', parts: [] }

/** @throws ApiError validation_failed if the name exists or an address is invalid */
const createSeedList: Command<{ organizationId: number; seedList: SeedListInput }, SeedListRow> = async (
  context,
  { organizationId, seedList }
) => {
  requireFreeName(await seedListsOf(context.db, organizationId), seedList.name, null, 'seed list')
  const row = await context.db
    .insertInto('seed_lists')
    .values({
      organization_id: organizationId,
      ...namesOf(seedList.name),
      addresses: readAddresses(seedList.addresses_array),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'seed_list', 'create', row)
  return row
}

interface Named {
  organizationId: number
  id: number
}

const updateSeedList: Command<Named & { changes: SeedListChanges }, SeedListRow> = async (
  context,
  { organizationId, id, changes }
) => {
  const before = await seedListById(context.db, organizationId, id)
  const { name = before.name, addresses_array: addresses } = changes
  requireFreeName(await seedListsOf(context.db, organizationId), name, id, 'seed list')
  return recordEdit(context, seedListTables, { organizationId }, id, () =>
    context.db
      .updateTable('seed_lists')
      .set({
        ...namesOf(name),
        ...(addresses && { addresses: readAddresses(addresses) }),
        updated_at: context.now
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

/** @throws ApiError validation_failed with data.dependencies while a list uses it by default */
const deleteSeedList: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await seedListById(context.db, organizationId, id)
  refuseWhileNeeded('used_by', row.name, [
    ...(await listsWithSeedList(context.db, id)),
    ...(await campaignsUsing(context.db, 'seed_list', id))
  ])
  await recordDeletion(context, seedListTables, { organizationId }, row, () =>
    context.db.deleteFrom('seed_lists').where('id', '=', id).execute()
  )
}

/** Normalizes addresses: without duplicates and blank lines. */
function readAddresses(given: string[]): string {
  const faults = new Faults()
  const byKey = new Map<string, string>()
  for (const [index, text] of given.entries()) {
    const address = text.trim()
    if (address === '') continue
    if (!isEmail(address)) faults.add(refusalAt(`addresses_array.${index}`, emailComplaint(address)))
    if (!byKey.has(emailKey(address))) byKey.set(emailKey(address), address)
  }
  faults.throwIfAny()
  return JSON.stringify([...byKey.values()])
}

export const seedListCommands = {
  create: createSeedList,
  update: updateSeedList,
  delete: deleteSeedList
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    seedLists: typeof seedListCommands
  }
}

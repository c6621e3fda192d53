import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { timeZoneNamed } from '../../base/times.ts'
import { organizationById, type OrganizationRow } from './queries.ts'
import type { OrganizationChanges, OrganizationInput } from './schema.ts'

export const organizationTables: RecordTables = { entity: 'organization', table: 'organizations', parts: [] }

/** @throws ApiError validation_failed for an unknown time zone */
const createOrganization: Command<OrganizationInput, OrganizationRow> = async (context, input) => {
  const row = await context.db
    .insertInto('organizations')
    .values({
      ...input,
      id: await nextOrganizationId(context),
      name: input.name.trim(),
      time_zone_name: readTimeZone(input.time_zone_name ?? 'UTC'),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordOne(context, 'organization', 'create', { organizationId: row.id }, row.id)
  return row
}

/** Ids are never reused, not even after a restore: upload folders are named by them. */
async function nextOrganizationId({ db }: CommandContext): Promise<number> {
  const { last } = await db
    .selectFrom('organizations')
    .select((select) => select.fn.max<number>('id').as('last'))
    .executeTakeFirstOrThrow()
  const reserved = await db
    .selectFrom('id_sequences')
    .select('next_id')
    .where('name', '=', 'organizations')
    .executeTakeFirst()
  return Math.max(last + 1, reserved?.next_id ?? 1)
}

/**
 * Changes the properties in the request.
 * @throws ApiError not_found; as {@link createOrganization}
 */
const updateOrganization: Command<{ id: number; changes: OrganizationChanges }, OrganizationRow> = async (
  context,
  { id, changes }
) => {
  const before = await organizationById(context.db, id)
  return recordEdit(context, organizationTables, { organizationId: id }, id, () =>
    context.db
      .updateTable('organizations')
      .set({
        ...changes,
        name: (changes.name ?? before.name).trim(),
        time_zone_name: readTimeZone(changes.time_zone_name ?? before.time_zone_name),
        updated_at: context.now
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

interface Limits {
  organizationId: number
  /** True if new subscribers must confirm; undefined = unchanged. */
  enforcesConfirmedOptIn?: boolean | undefined
  /** Limit over all lists; null = none, undefined = unchanged. */
  subscriberLimit?: number | null | undefined
}

/** Sets the subscriber limit and the confirmation rule of an organization. The API has no call for either. */
export const limitSubscribers: Command<Limits, void> = async (
  context,
  { organizationId, enforcesConfirmedOptIn, subscriberLimit }
) => {
  await recordEdit(context, organizationTables, { organizationId }, organizationId, () =>
    context.db
      .updateTable('organizations')
      .set({
        ...(enforcesConfirmedOptIn !== undefined && {
          enforces_confirmed_opt_in: Number(enforcesConfirmedOptIn)
        }),
        ...(subscriberLimit !== undefined && { subscriber_limit: subscriberLimit }),
        updated_at: context.now
      })
      .where('id', '=', organizationId)
      .returning('id')
      .executeTakeFirstOrThrow()
  )
}

function readTimeZone(name: string): string {
  const zone = timeZoneNamed(name)
  if (zone === null) throw validationFailed(refusal('time_zone', { field: 'time_zone_name', name }))
  return zone
}

export const organizationCommands = {
  create: createOrganization,
  update: updateOrganization,
  limitSubscribers
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    organizations: typeof organizationCommands
  }
}

import type { Kysely, Selectable } from 'kysely'
import type { OrganizationsTable } from './tables.ts'
import type { Schema } from '../../database/schema.ts'
import { notFound } from '../../base/errors.ts'
import type { Organization } from './schema.ts'
import { compiledQuery } from '../../database/compiled-query.ts'
import { remembered } from '../../database/remembered.ts'

export type OrganizationRow = Selectable<OrganizationsTable>

/** All organizations, by id. */
export function organizations(db: Kysely<Schema>): Promise<OrganizationRow[]> {
  return db.selectFrom('organizations').selectAll().orderBy('id').execute()
}

/** @throws ApiError not_found */
export async function organizationById(db: Kysely<Schema>, id: number): Promise<OrganizationRow> {
  const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('organization', id)
  return row
}

type OrganizationRules = Pick<OrganizationRow, 'enforces_confirmed_opt_in' | 'subscriber_limit'>

const rulesOf = compiledQuery<{ id: number }, OrganizationRules>((db, value) =>
  db
    .selectFrom('organizations')
    .select(['enforces_confirmed_opt_in', 'subscriber_limit'])
    .where('id', '=', value('id'))
)

/**
 * Returns the rules for new subscribers of an organization, without its long texts.
 * @throws ApiError not_found
 */
export async function organizationRules(db: Kysely<Schema>, id: number): Promise<OrganizationRules> {
  const [rules] = await remembered(db, `rules ${id}`, () => rulesOf(db, { id }))
  if (!rules) throw notFound('organization', id)
  return rules
}

export function presentOrganization(row: OrganizationRow): Organization {
  const { id, name, anniversary_day, time_zone_name, html_header, html_footer, text_header, text_footer } =
    row
  return { id, name, anniversary_day, time_zone_name, html_header, html_footer, text_header, text_footer }
}

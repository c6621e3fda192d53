import { type Kysely, sql, type SqlBool } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangedEntity, Schema } from '../../database/schema.ts'
import { holdsCode } from '../campaigns/replacement-codes.ts'
import { mayStillBeSent } from '../campaigns/uses.ts'
import type { Dependency } from '../../http/dependencies.ts'
import { segmentsNaming } from '../segments/uses.ts'
import type { FieldDefinition } from './rules.ts'

const readAtOnce = 20

/**
 * Returns what uses a field: lists with it as primary key, current or being changed to; segments with a
 * condition on it; unsent campaigns, templates and autoresponders whose contents contain its code; lists
 * whose headers do. Reads all contents, which may be many and long, so not for the API's or the writer's
 * thread.
 * @param since skips contents that have not changed after this entry of the change log
 */
export async function dependenciesOf(
  db: Kysely<Schema>,
  field: FieldDefinition,
  since: number | null
): Promise<Dependency[]> {
  const isUsedIn = (...texts: string[]): boolean => texts.some((text) => holdsCode(text, field.name))
  const lists = await listsWith(db, field)
  const ids = lists.map(({ id }) => id)
  const found: Dependency[] = lists
    .filter(
      (list) =>
        list.primary_key_custom_field_id === field.id ||
        list.is_becoming_key === 1 ||
        isUsedIn(list.custom_headers)
    )
    .map(({ id, name }) => ({ type: 'mailing_list', id, name }))
  found.push(...(await segmentsNaming(db, 'custom_field_id', field.id)))
  for (let afterId = 0; ;) {
    const contents = await contentsOf(db, ids, since, afterId)
    for (const { id, name, is_template, subject, html, text } of contents) {
      const type = is_template === 1 ? 'template' : 'campaign'
      // A campaign can have several contents; it is listed once.
      if (!isUsedIn(subject, html, text) || found.some((each) => each.type === type && each.id === id))
        continue
      found.push({ type, id, name })
    }
    const last = contents.at(-1)
    if (!last) break
    afterId = last.content_id
    await nextTurn()
  }
  for (let afterId = 0; ;) {
    const autoresponders = await autorespondersOf(db, ids, since, afterId)
    for (const { id, name, content_subject, content_html, content_text } of autoresponders) {
      if (isUsedIn(content_subject, content_html, content_text))
        found.push({ type: 'autoresponder', id, name })
    }
    const last = autoresponders.at(-1)
    if (!last) return found
    afterId = last.id
    await nextTurn()
  }
}

function listsWith(db: Kysely<Schema>, field: FieldDefinition) {
  return db
    .selectFrom('mailing_lists')
    .select(['id', 'name', 'custom_headers', 'primary_key_custom_field_id'])
    .select((select) =>
      select
        .exists(
          select
            .selectFrom('list_rekeys')
            .select('mailing_list_id')
            .where('custom_field_id', '=', field.id)
            .whereRef('mailing_list_id', '=', 'mailing_lists.id')
        )
        .as('is_becoming_key')
    )
    .where('organization_id', '=', field.organizationId)
    .where('deleted_at', 'is', null)
    .$if(field.mailingListId !== null, (query) => query.where('id', '=', field.mailingListId ?? 0))
    .orderBy('id')
    .execute()
}

function contentsOf(db: Kysely<Schema>, listIds: number[], since: number | null, afterId: number) {
  return db
    .selectFrom('campaign_contents')
    .innerJoin('campaigns', 'campaigns.id', 'campaign_contents.campaign_id')
    .leftJoin('dispatches', 'dispatches.campaign_id', 'campaigns.id')
    .select(['campaign_contents.id as content_id', 'campaigns.id', 'campaigns.name', 'is_template'])
    .select(['subject', 'html', 'text'])
    .where('campaign_contents.id', '>', afterId)
    .where('campaigns.mailing_list_id', 'in', listIds)
    .where('campaigns.deleted_at', 'is', null)
    .where(mayStillBeSent)
    .$if(since !== null, (query) =>
      query.where(hasChanged(['campaign', 'template'], 'campaigns.id', since ?? 0))
    )
    .orderBy('campaign_contents.id')
    .limit(readAtOnce)
    .execute()
}

function autorespondersOf(db: Kysely<Schema>, listIds: number[], since: number | null, afterId: number) {
  return db
    .selectFrom('autoresponders')
    .select(['id', 'name', 'content_subject', 'content_html', 'content_text'])
    .where('id', '>', afterId)
    .where('mailing_list_id', 'in', listIds)
    .$if(since !== null, (query) =>
      query.where(hasChanged(['autoresponder'], 'autoresponders.id', since ?? 0))
    )
    .orderBy('id')
    .limit(readAtOnce)
    .execute()
}

function hasChanged(entities: ChangedEntity[], id: string, since: number) {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM change_log AS change WHERE change.id > ${since}
    AND change.entity IN (${sql.join(entities)}) AND ${sql.ref(id)} BETWEEN change.first_id AND change.last_id)`
}

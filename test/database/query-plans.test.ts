import { addedIds } from '../../src-main/imports/added-ids.ts'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createSecretKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { autorespondersOf } from '../../src-main/api/autoresponders/queries.ts'
import { queueReactionsOfMany } from '../../src-main/api/autoresponders/reactions.ts'
import { purgeDeletedList } from '../../src-main/api/mailing-lists/commands.ts'
import { continueRekey } from '../../src-main/api/mailing-lists/rekey-commands.ts'
import { countMembers, segmentMembers } from '../../src-main/api/segments/queries.ts'
import { subscriberTotal } from '../../src-main/api/mailing-lists/queries.ts'
import {
  subscribersAfter,
  subscribersAt,
  subscribersByEmail,
  subscribersNamed
} from '../../src-main/api/subscribers/queries.ts'
import {
  createSubscriber,
  deleteSubscribers,
  unsubscribeByToken,
  updateSubscriber
} from '../../src-main/api/subscribers/commands.ts'
import { triggerAutoresponders } from '../../src-main/api/subscribers/trigger-command.ts'
import { makeToken } from '../../src-main/api/subscribers/tokens.ts'
import type { CommandContext } from '../../src-main/database/command.ts'
import { subscriberCounts } from '../../src-main/api/subscriber-counts/queries.ts'
import { addFunctions } from '../../src-main/database/functions.ts'
import { migrate } from '../../src-main/database/migrate.ts'
import type { Schema } from '../../src-main/database/schema.ts'
import { agreementsWith, agreementsWithTheirs } from '../../src-main/sync/queries.ts'
import type { SegmentScope } from '../../src-main/api/segments/queries.ts'
import { temporaryDirectory } from '../support/application.ts'

type Query = (db: Kysely<Schema>, context: CommandContext) => Promise<unknown>

async function plansOf(run: Query): Promise<string[]> {
  const sqlite = new SQLite(':memory:')
  addFunctions(sqlite)
  migrate(sqlite, await temporaryDirectory())
  // Many queries ask for subscribers only where there are any, on a list that is there.
  sqlite.pragma('foreign_keys = OFF')
  sqlite.exec(`
    INSERT INTO organizations (id, name, created_at, updated_at) VALUES (1, 'System Organization', 0, 0);
    INSERT INTO mailing_lists (id, organization_id, name, created_at, updated_at) VALUES (1, 1, 'List', 0, 0);
    INSERT INTO mailing_list_counts (mailing_list_id, status, subscribers) VALUES (1, 'active', 1000);
    UPDATE id_sequences SET next_id = 2000;
    INSERT INTO settings (name, value) VALUES ('signing_secret', '"00"');
    INSERT INTO autoresponders (id, mailing_list_id, name, name_key, trigger, delay, delay_amount, delay_time,
      trigger_include_subscribers_from_import, trigger_run_on_api, use_external_delivery_setting, track_opens,
      track_links, content_subject, content_format, content_html, content_text, created_at, updated_at)
      VALUES (1, 1, 'Hi', 'hi', 'subscription', 'immediately', 0, 0, 0, 1, 1, 1, 1, '', 'both', '', '', 0, 0);
    INSERT INTO subscriber_blocks (mailing_list_id, block, subscribers) VALUES (1, 0, 1000);
    INSERT INTO subscriber_block_groups (mailing_list_id, block_group, subscribers) VALUES (1, 0, 1000);
    INSERT INTO subscribers (id, mailing_list_id, email, email_key, status, subscribe_time, created_at, updated_at)
      SELECT value, 1, 'p' || value || '@example.com', 'p' || value || '@example.com', 'active', 0, 0, 0 FROM (
        WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 1000)
        SELECT value FROM numbers
      )`)
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: sqlite }),
    log: ({ query }) => void statements.push({ sql: query.sql, parameters: query.parameters })
  })
  await run(db, {
    db,
    sqlite,
    now: 0,
    clock: 0,
    origin: null,
    record: () => undefined,
    onRollback: () => undefined,
    shouldPause: () => Promise.resolve(false),
    isShared: () => false
  })
  const plans = statements.flatMap(({ sql, parameters }) =>
    sqlite
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail)
  )
  await db.destroy()
  return plans
}

const segment: SegmentScope = {
  mailingListId: 1,
  clause: [
    { type: 'in_mailing_list', operator: 'is in', mailing_list_id: 1 },
    { type: 'in_mailing_list', operator: 'is not in', mailing_list_id: 1 },
    { type: 'in_mailing_list', operator: 'is active in', mailing_list_id: 1 }
  ]
}

const filter: SegmentScope = {
  mailingListId: 1,
  clause: [
    { type: 'suppressed', operator: 'is false' },
    { type: 'campaign', operator: 'did not open', campaign_id: 1 },
    { type: 'reaction_since', since: 0, isMet: false },
    { type: 'subscriber_import', operator: 'was not added by', subscriber_import_id: 1 },
    {
      type: 'group',
      match: 'any',
      conditions: [
        { type: 'email', operator: 'contains', value: 'a' },
        { type: 'custom_field', custom_field_id: 1, kind: 'options', operator: 'is one of', option_ids: [1] }
      ]
    }
  ]
}

const queries: Record<string, Query> = {
  'a page by token': (db) => subscribersAfter(db, 1, 500, 101),
  'a page by number': (db) => subscribersAt(db, 1, 500, 101),
  'a lookup by ids and emails': (db) => subscribersNamed(db, 1, [{ id: 1 }, { email: 'a@example.com' }]),
  'a search by email': (db) =>
    subscribersByEmail(db, [1, 2, 3], 'a@example.com', { afterId: 0, offset: 0, limit: 10 }),
  'a page of a segment': (db) => segmentMembers(db, segment, { afterId: 500, limit: 101 }),
  'a page of a filter': (db) => segmentMembers(db, filter, { afterId: 500, limit: 101 }),
  'the count of a segment': (db) => countMembers(db, segment, 500, 1000),
  'the total of a list': (db) => subscriberTotal(db, 1),
  'the counts per status': (db) => subscriberCounts(db, { id: 1, name: 'System Organization' })
}

const scope = { organizationId: 1, mailingListId: 1, timeZone: 'UTC' }
const token = makeToken(createSecretKey(Buffer.alloc(32)), 'unsubscribe', { subscriberId: 1, sliceId: 0 })

const commands: Record<string, Query> = {
  'adding one': (_db, context) =>
    createSubscriber(context, {
      ...scope,
      subscriber: {
        email: 'new@example.com',
        status: 'active',
        apply_custom_field_defaults: false,
        skip_autoresponders: false,
        autoresponder_exclude_reacted: true
      }
    }),
  'changing one': (_db, context) =>
    updateSubscriber(context, {
      ...scope,
      name: { email: 'p1@example.com' },
      changes: { status: 'bounced', run_autoresponders: false }
    }),
  'deleting one': (_db, context) => deleteSubscribers(context, { ...scope, name: { id: 1 } }),
  'unsubscribing one': (_db, context) => unsubscribeByToken(context, { organizationId: 1, token }),
  'triggering autoresponders': (_db, context) =>
    triggerAutoresponders(context, {
      ...scope,
      name: { email: 'new@example.com' },
      request: {
        create_missing_subscriber: true,
        reactivate_subscriber: false,
        skip_subscription_autoresponders: false,
        autoresponder_names: ['Hi'],
        content_replacement_fields: {},
        custom_fields: {}
      }
    }),
  'emptying a deleted list': (_db, context) => purgeDeletedList.run(context, { mailingListId: 1 }),
  'triggering autoresponders of many': async (db, context) =>
    queueReactionsOfMany(context, await autorespondersOf(db, 1), [1, 2, 3], 'UTC'),
  'changing the primary key': async (db, context) => {
    for (const phase of ['collecting', 'applying'] as const) {
      await db
        .replaceInto('list_rekeys')
        .values({ mailing_list_id: 1, custom_field_id: null, phase, after_id: 0 })
        .execute()
      await continueRekey.run(context, { organizationId: 1, id: 1 })
    }
  }
}

it.each(Object.entries({ ...queries, ...commands }))(
  '%s uses an index on subscribers and scans nothing',
  async (_name, run) => {
    const plans = await plansOf(run)
    expect(plans).not.toEqual([])
    // Scans of what a query made itself, or of the values of one subscriber, are no scans of a table; suppression lists are few.
    const scans = plans.filter((plan) =>
      /^SCAN (?!\(subquery|CONSTANT|looked|chosen|suppression_lists)/.test(plan)
    )
    expect(scans).toEqual([])
    for (const plan of plans.filter((each) => / subscribers\b/.test(each))) {
      expect(plan).toMatch(/^SEARCH subscribers USING/)
    }
  }
)

it('the ids that an import added are read by their ranges, not by looking for the range of each subscriber', async () => {
  const plans = await plansOf((db) => addedIds(db, { id: 1, mailing_list_id: 1 }).next())

  expect(plans).toEqual([
    expect.stringMatching(/^SEARCH import_additions USING PRIMARY KEY \(subscriber_import_id=\?/),
    expect.stringMatching(
      /^SEARCH subscribers USING INDEX subscribers_of_list \(mailing_list_id=\? AND rowid>\? AND rowid<\?\)/
    )
  ])
})

it.each<[string, Query, string]>([
  ['this side', (db) => agreementsWith(db, 1, [1, 2, 3]), 'local_id'],
  ['the remote', (db) => agreementsWithTheirs(db, 1, [1, 2, 3]), 'their_id']
])(
  'what was agreed on is looked up by ids of %s, without reading the whole list',
  async (_side, run, column) => {
    const plans = (await plansOf(run)).filter((plan) => plan.includes('sync_subscribers'))
    for (const plan of plans) expect(plan).toContain('SEARCH sync_subscribers USING')
    for (const plan of plans) expect(plan).toMatch(/\(sync_list_id=\? AND (local|their)_id=\?\)$/)
    expect(plans.join()).toContain(`${column}=?`)
  }
)

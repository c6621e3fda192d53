import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, it } from 'vitest'
import { subscriberTotal } from '../../src-main/api/mailing-lists/queries.ts'
import {
  subscribersAfter,
  subscribersAt,
  subscribersByBeginning,
  subscribersByEmail,
  subscribersNamed
} from '../../src-main/api/subscribers/queries.ts'
import { subscriberCounts } from '../../src-main/api/subscriber-counts/queries.ts'
import { migrate } from '../../src-main/database/migrate.ts'
import type { Schema } from '../../src-main/database/schema.ts'
import type { MailingListRow } from '../../src-main/api/mailing-lists/queries.ts'
import { temporaryDirectory } from '../support/application.ts'

/** Runs queries on a small database and answers the plan of each statement that they ran. */
async function plansOf(run: (db: Kysely<Schema>) => Promise<unknown>): Promise<string[]> {
  const sqlite = new SQLite(':memory:')
  migrate(sqlite, await temporaryDirectory())
  // A page by number asks for its subscribers only where there are any.
  sqlite.pragma('foreign_keys = OFF')
  sqlite.exec(`
    INSERT INTO subscriber_blocks (mailing_list_id, block, subscribers) VALUES (1, 0, 1000);
    INSERT INTO subscribers (id, mailing_list_id, email, email_key, status, subscribe_time, created_at, updated_at)
      SELECT value, 1, 'p' || value, 'p' || value, 'active', 0, 0, 0 FROM (
        WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 1000)
        SELECT value FROM numbers
      )`)
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: sqlite }),
    log: ({ query }) => void statements.push({ sql: query.sql, parameters: query.parameters })
  })
  await run(db)
  const plans = statements.flatMap(({ sql, parameters }) =>
    sqlite
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => detail)
  )
  await db.destroy()
  return plans
}

const list = { id: 1, organization_id: 1, primary_key_custom_field_id: null } as MailingListRow

/** Every query that a request runs on subscribers. */
const queries: Record<string, (db: Kysely<Schema>) => Promise<unknown>> = {
  'a page by token': (db) => subscribersAfter(db, 1, 500, 101),
  'a page by number': (db) => subscribersAt(db, 1, 500, 101),
  'a lookup by ids and emails': (db) => subscribersNamed(db, 1, [{ id: 1 }, { email: 'a@example.com' }]),
  'a search by email': (db) => subscribersByEmail(db, [1, 2, 3], 'a@example.com'),
  'a search by the beginning of an email': (db) => subscribersByBeginning(db, list, 'a', 100),
  'the total of a list': (db) => subscriberTotal(db, 1),
  'the counts per status': (db) => subscriberCounts(db, { id: 1, name: 'System Organization' })
}

it.each(Object.entries(queries))('%s uses an index on subscribers and scans nothing', async (_name, run) => {
  const plans = await plansOf(run)
  expect(plans).not.toEqual([])
  // Scans of what a query made itself, such as the running sums of one list's blocks, are no scans of a table.
  const scans = plans.filter((plan) => /^SCAN (?!\(subquery|sums|CONSTANT)/.test(plan))
  expect(scans).toEqual([])
  for (const plan of plans.filter((each) => / subscribers\b/.test(each))) {
    expect(plan).toMatch(/^SEARCH subscribers USING/)
  }
})

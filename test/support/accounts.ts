import SQLite from 'better-sqlite3'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { basic, type StartedApplication } from './application.ts'
import { Client } from './client.ts'

// Organizations and users of which the API makes none yet are written into the database beside the application.

/** Another organization than the System Organization. @returns its id */
export function makeOrganization(
  { dataDirectory }: StartedApplication,
  settings: { enforces?: boolean; subscriberLimit?: number } = {}
): number {
  return withDatabase(dataDirectory, (database) =>
    Number(
      database
        .prepare(
          `INSERT INTO organizations (name, enforces_confirmed_opt_in, subscriber_limit, created_at, updated_at)
           VALUES ('Other', ?, ?, 0, 0)`
        )
        .run(Number(settings.enforces ?? false), settings.subscriberLimit ?? null).lastInsertRowid
    )
  )
}

interface User {
  organizationId?: number
  role?: 'system_admin' | 'organization_admin' | 'standard'
  /** key -> actions, such as { subscriber: ['read'] } */
  permissions?: Record<string, string[]>
}

/** A program that uses the API as this user. */
export function clientOfUser(
  { app, dataDirectory }: StartedApplication,
  { organizationId = 1, role = 'standard', permissions = {} }: User
): Client {
  const key = randomBytes(20).toString('hex')
  withDatabase(dataDirectory, (database) => {
    const { lastInsertRowid: userId } = database
      .prepare(
        `INSERT INTO users (organization_id, full_name, email, active, role, permissions, created_at, updated_at)
         VALUES (?, 'Test', ?, 1, ?, ?, 0, 0)`
      )
      .run(organizationId, `${key}@example.com`, role, JSON.stringify(permissions))
    database
      .prepare(
        `INSERT INTO api_keys (organization_id, user_id, name, key_hash, created_at) VALUES (?, ?, 'test', ?, 0)`
      )
      .run(organizationId, userId, createHash('sha256').update(key).digest())
  })
  return new Client(app.baseUrl, basic(`${organizationId}:${key}`))
}

function withDatabase<Result>(dataDirectory: string, work: (database: SQLite.Database) => Result): Result {
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

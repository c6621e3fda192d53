import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp, withDefault } from '../../http/schema.ts'
import { databaseEngines, tlsModes } from '../../remote-databases/schema.ts'

const settings = () => ({
  name: Filled({ maxLength: 255 }),
  /** null = only its name is known: nothing can be read from it yet. */
  engine: Nullable(Type.Enum([...databaseEngines])),
  /** '' of a SQLite file. */
  host: Type.String({ maxLength: 253 }),
  /** 0 = the usual one of the engine. */
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  /** The name of the database, or the path of a SQLite file. */
  database: Type.String({ maxLength: 1000 }),
  username: Type.String({ maxLength: 255 }),
  tls: Type.Enum([...tlsModes]),
  /** Certificates of authorities in PEM format that are trusted beside the usual ones; '' = none. */
  authorities: Type.String({ maxLength: 100_000 }),
  /** Organizations that may import from it, beside the System Organization. */
  organization_ids: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 1000 }),
  /** How long a query may take until its last row is read, in seconds. */
  time_limit: Type.Integer({ minimum: 1, maximum: 86_400 })
})

/** The password; it is stored where only this computer's user can read it, and never answered. */
const Secret = Type.String({ maxLength: 10_000 })

const given = settings()

export const DatabaseConnectionInput = Type.Object({
  ...given,
  engine: withDefault(given.engine, null),
  host: withDefault(given.host, ''),
  port: withDefault(given.port, 0),
  database: withDefault(given.database, ''),
  username: withDefault(given.username, ''),
  tls: withDefault(given.tls, 'verified'),
  authorities: withDefault(given.authorities, ''),
  organization_ids: withDefault(given.organization_ids, []),
  time_limit: withDefault(given.time_limit, 3600),
  secret: Type.Optional(Secret)
})
export type DatabaseConnectionInput = Static<typeof DatabaseConnectionInput>

export const DatabaseConnectionChanges = Type.Partial(Type.Object({ ...settings(), secret: Secret }))
export type DatabaseConnectionChanges = Static<typeof DatabaseConnectionChanges>

/** A database that Remote Lists and imports read from (docs/api.md, "Database connections"). */
export const DatabaseConnection = Type.Object({
  id: Type.Integer(),
  ...settings(),
  /** True if a password is stored. */
  has_secret: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type DatabaseConnection = Static<typeof DatabaseConnection>

/** What a test of a connection found. */
export const DatabaseConnectionTest = Type.Object({
  version: Type.String(),
  /** True if it refuses to write in a read-only transaction. */
  read_only_transactions: Type.Boolean(),
  /** True if it hands over a result in batches. */
  cursors: Type.Boolean(),
  /** True if it ends a statement by itself that takes too long. */
  time_limits: Type.Boolean(),
  /** Rows per second, measured over 10,000 rows. */
  rows_per_second: Type.Integer(),
  /** How far its clock is ahead of this computer's, in milliseconds. */
  clock_difference: Type.Integer()
})
export type DatabaseConnectionTest = Static<typeof DatabaseConnectionTest>

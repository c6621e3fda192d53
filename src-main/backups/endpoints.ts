import { type Static, Type } from 'typebox'
import { unlistedEndpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import { Fault, Nullable, Timestamp, withDefault } from '../http/schema.ts'
import { Backup, LossCounts, Verification } from './schema.ts'

// A backup holds the data of all organizations.
const access = 'system_admin'
const params = Type.Object({ name: Type.String({ maxLength: 200 }) })

const BackupsAnswer = Type.Object({
  backups: Type.Array(Backup),
  directory: Type.String(),
  is_writing: Type.Boolean(),
  /** The name of the one that the next start puts in place; null for none. */
  restoring: Nullable(Type.String()),
  /** The restore that this start completed, and the number of campaigns it paused; null = none. */
  restored: Nullable(Type.Object({ name: Type.String(), paused_campaigns: Type.Integer() })),
  /** Reasons why the location of the data directory is unsafe. */
  warnings: Type.Array(Fault),
  /** Why the last due backup was not made; null = no fault. */
  fault: Nullable(Fault),
  /** Encrypted copies of automatic backups; null where none are made. */
  copies: Nullable(
    Type.Object({
      folder: Type.String(),
      /** null = none was made. */
      last_at: Nullable(Timestamp),
      /** Why the last due copy was not made; null = no fault. */
      fault: Nullable(Fault)
    })
  )
})
export type BackupsAnswer = Static<typeof BackupsAnswer>

const RecoveryAnswer = Type.Object({
  backup: Backup,
  losses: LossCounts
})
export type RecoveryAnswer = Static<typeof RecoveryAnswer>

const Passphrase = Type.String({ maxLength: 1000 })

export const importEndpoints = unlistedEndpoints({
  // The body is an archive or a backup, which becomes a backup here. The header X-Passphrase,
  // percent-encoded, opens an encrypted one.
  'PUT /backups/import': {
    access,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    body: Type.Unknown(),
    answer: envelope(Backup)
  }
})

export const backupEndpoints = unlistedEndpoints({
  'GET /backups': { access, answer: envelope(BackupsAnswer) },
  'POST /backups': {
    access,
    body: Type.Object({ kind: withDefault(Type.Enum(['manual', 'before_change']), 'manual') }),
    answer: envelope(Backup)
  },
  // Recovers the readable part of damaged data.
  'POST /backups/recover': { access, answer: envelope(RecoveryAnswer) },
  // A ZIP file with the contents of a backup as CSV and JSON. It is made before the answer begins, which
  // takes a while.
  'POST /backups/:name/archive': { access, params, answer: envelope(Type.Null()) },
  'GET /backups/:name/archive': { access, params },
  // A file in the age format. It is also made before the answer begins.
  'POST /backups/:name/encrypted': {
    access,
    params,
    body: Type.Object({ passphrase: Passphrase }),
    answer: envelope(Type.Null())
  },
  'GET /backups/:name/encrypted': { access, params },
  // A CSV file of what was lost when a backup was recovered from damaged data.
  'GET /backups/:name/losses': { access, params },
  'POST /backups/:name/verify': { access, params, answer: envelope(Verification) },
  'POST /backups/:name/restore': { access, params, answer: envelope(Type.Null()) },
  'PUT /backups/copies': {
    access,
    body: Type.Object({ folder: Type.String({ minLength: 1, maxLength: 4096 }), passphrase: Passphrase }),
    answer: envelope(Type.Null())
  },
  'DELETE /backups/copies': { access, answer: envelope(Type.Null()) },
  'DELETE /backups/restore': { access, answer: envelope(Type.Null()) },
  'DELETE /backups/:name': { access, params, answer: envelope(Type.Null()) }
})

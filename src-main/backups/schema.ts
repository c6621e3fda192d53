import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/schema.ts'

/**
 * Why a backup was made: automatically, on request, before a large change, before an update changed the data,
 * before a restore replaced it, from damaged data, or from an archive.
 */
export const backupKinds = [
  'scheduled',
  'manual',
  'before_change',
  'before_update',
  'before_restore',
  'recovered',
  'imported'
] as const
export type BackupKind = (typeof backupKinds)[number]

export const Backup = Type.Object({
  /** Its name in the folder of backups. */
  name: Type.String(),
  kind: Type.Enum([...backupKinds]),
  created_at: Timestamp,
  bytes: Type.Integer()
})
export type Backup = Static<typeof Backup>

/** The number of records that damage lost or changed, by kind of loss (salvage/losses.ts). */
export const LossCounts = Type.Object({
  lost: Type.Integer(),
  doubtful: Type.Integer(),
  replaced: Type.Integer(),
  removed: Type.Integer(),
  stopped: Type.Integer()
})

/** The number of rows in a table of a backup, and a digest of them in id order. */
export interface TableDigest {
  rows: number
  digest: string
}

/** Characters; who has an encrypted backup can try as many passphrases as their computers can, about one a second each. */
export const minPassphrase = 12

/** The result of reading a backup completely. */
export const Verification = Type.Object({
  ok: Type.Boolean(),
  /** Sentences; empty = none. */
  faults: Type.Array(Type.String()),
  subscribers: Type.Integer(),
  tables: Type.Record(Type.String(), Type.Object({ rows: Type.Integer(), digest: Type.String() }))
})
export type Verification = Static<typeof Verification>

import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/schema.ts'

/** Why a copy was made: by itself, because somebody asked for it, before an update changed the data, or before a restore replaced them. */
export const backupKinds = ['scheduled', 'manual', 'before_update', 'before_restore'] as const
export type BackupKind = (typeof backupKinds)[number]

export const Backup = Type.Object({
  /** Its name in the folder of backups. */
  name: Type.String(),
  kind: Type.Enum([...backupKinds]),
  created_at: Timestamp,
  bytes: Type.Integer()
})
export type Backup = Static<typeof Backup>

/** What a table of a backup holds: how many rows, and a digest of all of them in the order of their ids. */
export interface TableDigest {
  rows: number
  digest: string
}

/** What was found when a backup was read from its first byte to its last. */
export const Verification = Type.Object({
  ok: Type.Boolean(),
  /** What is wrong, a sentence each; empty where nothing is. */
  faults: Type.Array(Type.String()),
  subscribers: Type.Integer(),
  /** By table. */
  tables: Type.Record(Type.String(), Type.Object({ rows: Type.Integer(), digest: Type.String() }))
})
export type Verification = Static<typeof Verification>

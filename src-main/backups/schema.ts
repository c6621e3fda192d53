import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/schema.ts'

/** Why a backup was made: by itself, because somebody asked for it, before a person changed much at once, before an update changed the data, before a restore replaced them, of what could be read of damaged data, or of an archive. */
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

/** How many records did not come out of damaged data as they were, by what became of them (salvage/losses.ts). */
export const LossCounts = Type.Object({
  lost: Type.Integer(),
  doubtful: Type.Integer(),
  replaced: Type.Integer(),
  removed: Type.Integer(),
  stopped: Type.Integer()
})

/** What a table of a backup holds: how many rows, and a digest of all of them in the order of their ids. */
export interface TableDigest {
  rows: number
  digest: string
}

/** Characters; who has an encrypted backup can try as many passphrases as their computers can, about one a second each. */
export const minPassphrase = 12

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

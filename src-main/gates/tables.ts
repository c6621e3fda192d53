import type { ColumnType } from 'kysely'
import type { CredentialPlace } from '../base/credential-places.ts'
import type { StoredRefusal } from '../base/stored-refusal.ts'
import type { Flag, Json, Time } from '../database/schema.ts'

/** A server that answers links while the application is off. Its key is kept elsewhere (base/credentials.ts). */
export interface GatesTable {
  url_domain_id: number
  /** Without a path. */
  address: string
  /** null = it has no key. */
  credential_place: ColumnType<
    CredentialPlace | null,
    CredentialPlace | null | undefined,
    CredentialPlace | null
  >
  /** What the gate called its contents when they were last compared. */
  state: ColumnType<string | null, undefined, string | null>
  /** When fetching began the last time; 0 = never. */
  begun_at: ColumnType<Time, undefined, Time>
  /** When all events were fetched the last time; null = never. */
  fetched_at: ColumnType<Time | null, undefined, Time | null>
  /** When events are fetched next. */
  next_at: ColumnType<Time, undefined, Time>
  /** Why they could not be fetched the last time. */
  fault: ColumnType<StoredRefusal | null, undefined, StoredRefusal | null>
  updated_at: Time
}

/** A content as it is handed over to a gate. */
export interface GateContentsTable {
  url_domain_id: number
  /** `s` and the statistics id, or `f` and the id of a form. */
  content_key: string
  /** SHA-256 of what it was made of: sealing the same gives another body each time. */
  source_digest: string
  /** JSON of a {@link GateContent}. */
  body: string
  /** JSON of the keys of images that it shows. */
  images: Json
  is_handed_over: Flag
}

export interface GatePositionsTable {
  epoch: string
  number: number
}

declare module '../database/schema.ts' {
  interface Schema {
    gates: GatesTable
    gate_contents: GateContentsTable
    gate_positions: GatePositionsTable
  }
}

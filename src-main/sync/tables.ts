import { type StoredRefusal } from '../base/stored-refusal.ts'
import type { ColumnType, Generated } from 'kysely'
import type { CredentialPlace } from '../base/credential-places.ts'
import type { Fixed, Json, Time } from '../database/schema.ts'
import type { LinkedKind, Question, RemoteState, RunOutcome, Side } from './schema.ts'

/** A server that the state of an organization is mirrored to. Its key is kept elsewhere (base/credentials.ts). */
export interface SyncRemotesTable {
  id: Generated<number>
  organization_id: Fixed<number>
  name: string
  /** Without a path: where /ga/api/v2 begins. */
  base_url: string
  remote_organization_id: number
  /** {@link RemoteSettings} */
  settings: Json
  credential_place: CredentialPlace
  state: RemoteState
  /** The reason for waiting or asking. */
  message: StoredRefusal | null
  /** The open question, while it asks. */
  question: Question | null
  /** When a run was requested that has not started. */
  requested_at: Time | null
  /** null = only on request. */
  next_run_at: Time | null
  /** When the last complete scan of the remote ended. */
  pulled_at: Time | null
  /** The list that it asks about. */
  question_list_id: number | null
  /** The user's answers since the last run that finished, JSON of `GivenAnswer[]`. */
  answers: ColumnType<string, string | undefined, string>
  /** Runs in a row during which the application ended by itself. */
  cut_offs: ColumnType<number, number | undefined, number>
  created_at: Fixed<Time>
  updated_at: Time
}

export interface SyncRunsTable {
  id: Generated<number>
  remote_id: Fixed<number>
  started_at: Fixed<Time>
  finished_at: Time | null
  /** null while it runs, and of one that was cut off. */
  outcome: RunOutcome | null
  message: StoredRefusal | null
  /** {@link RunResult} */
  result: Json
}

/** Which local record is which remote record. Subscribers are in sync_subscribers. */
export interface SyncLinksTable {
  remote_id: Fixed<number>
  kind: Fixed<LinkedKind>
  local_id: Fixed<number>
  /** null = it was to be created there, and no answer came yet. */
  their_id: number | null
  mailing_list_id: number | null
  /** The content that both sides last agreed on; null = none yet. */
  agreed: Json | null
  /** The remote's state of a campaign that was sent there ({@link TheirCampaign}). */
  their_state: Json | null
}

/** The progress of mirroring the subscribers of a list. */
export interface SyncListsTable {
  id: Generated<number>
  remote_id: Fixed<number>
  mailing_list_id: Fixed<number>
  /** The entry of the change log up to which changes have been sent; null = everything has yet to be looked at. */
  change_log_id: number | null
  /** The custom fields that its subscribers were last compared by: others mean to compare them all. */
  fields: Json | null
  /** The checkpoint of a scan ({@link ScanPosition}); null = no scan is under way. */
  scan: Json | null
}

/** A subscriber that both sides have. */
export interface SyncSubscribersTable {
  sync_list_id: number
  local_id: number
  /** null = not known yet: it came there by an import. */
  their_id: number | null
  agreed: Uint8Array
}

/** A record that one side refused. It is tried again once it was changed. */
export interface SyncRefusalsTable {
  id: Generated<number>
  remote_id: number
  /** The side that refused. */
  side: Side
  kind: LinkedKind
  mailing_list_id: number | null
  /** Its id on the side that it comes from. */
  record_id: number
  name: string
  message: StoredRefusal
  /** Identifies the refused content. */
  version: string
  at: Time
}

/** A value that was changed on both sides. */
export interface SyncConflictsTable {
  id: Generated<number>
  remote_id: number
  kind: LinkedKind
  mailing_list_id: number | null
  local_id: number
  name: string
  /** The API's name of an attribute, or the name of a custom field. */
  field: string
  local_value: Json
  remote_value: Json
  /** The side that won; null = each has its own value until a user decides. */
  kept: Side | null
  /** A user's decision that no run has applied yet. */
  decision: Side | null
  at: Time
  resolved_at: Time | null
}

declare module '../database/schema.ts' {
  interface Schema {
    sync_remotes: SyncRemotesTable
    sync_runs: SyncRunsTable
    sync_links: SyncLinksTable
    sync_lists: SyncListsTable
    sync_subscribers: SyncSubscribersTable
    sync_refusals: SyncRefusalsTable
    sync_conflicts: SyncConflictsTable
  }
  interface ChangedEntities {
    sync_remote: unknown
  }
}

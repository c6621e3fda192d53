import type { Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'

export interface MailingListsTable {
  id: Generated<number>
  organization_id: number
  name: string
  d_from_email: string | null
  d_from_name: string | null
  d_reply_to: string | null
  d_sender_email: string | null
  d_speed: number
  d_autowinner_enabled: Flag
  d_autowinner_percentage: string | null
  d_autowinner_delay_amount: number | null
  d_autowinner_delay_unit: string | null
  d_autowinner_metric: string | null
  has_format: Flag
  has_confirmed: Flag
  custom_headers_enabled: Flag
  custom_headers: string
  primary_key_custom_field_id: number | null
  /** Null = the system default route. */
  d_virtual_mta_id: number | null
  d_url_domain_id: number | null
  d_bounce_email_id: number | null
  is_remote_list: Fixed<Flag>
  /** Only of a Remote List. */
  database_connection_id: number | null
  /** custom field id -> stored value */
  preview_custom_field_data: Json
  created_at: Fixed<Time>
  updated_at: Time
  deleted_at: Time | null
  /** 1 if a deleted list can no longer be restored: its subscribers are being deleted. */
  expired: Generated<Flag>
  /** null until a deleted list's subscribers are deleted. */
  purged_at: Time | null
}

export interface MailingListSeedListsTable {
  mailing_list_id: number
  seed_list_id: number
}

export interface DeleteConfirmationsTable {
  mailing_list_id: number
  code: string
  expires_at: Time
}

/** A list whose primary key is being changed; see api/mailing-lists/rekey-commands.ts. */
export interface ListRekeysTable {
  mailing_list_id: number
  /** The new key; null = the email. */
  custom_field_id: number | null
  phase: 'collecting' | 'applying' | 'clearing'
  /** The last processed subscriber of the phase. */
  after_id: number
}

/** The new keys of a list whose primary key is being changed. */
export interface RekeyEntriesTable {
  mailing_list_id: number
  key: string
  subscriber_id: number
}

declare module '../../database/schema.ts' {
  interface Schema {
    mailing_lists: MailingListsTable
    mailing_list_seed_lists: MailingListSeedListsTable
    delete_confirmations: DeleteConfirmationsTable
    list_rekeys: ListRekeysTable
    rekey_entries: RekeyEntriesTable
  }
  interface ChangedEntities {
    mailing_list: unknown
  }
}

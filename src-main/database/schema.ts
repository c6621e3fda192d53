import type { ColumnType, Generated } from 'kysely'
import type { SubscriberStatus } from '../api/subscribers/schema.ts'
import type { CampaignState } from '../api/campaigns/schema.ts'
import type { CustomFieldType } from '../api/custom-fields/schema.ts'
import type { ExportState } from '../api/subscriber-exports/schema.ts'
import type { CounterName } from '../api/statistics/schema.ts'
import type { AddressType } from '../api/suppression-lists/rules.ts'
import type { HtmlEditor } from '../api/users/schema.ts'
import type { UserRole } from '../http/permissions.ts'
import type { SuppressedAddressImportState } from '../api/suppressed-address-imports/schema.ts'
import type { ImportState } from '../api/subscriber-imports/schema.ts'
import type { RowOrder } from '../imports/plan.ts'
import type {
  AutoresponderDelayUnit,
  AutoresponderTrigger,
  ContentFormat
} from '../api/autoresponders/schema.ts'

/** UNIX milliseconds, UTC. */
type Time = number
/** 0 or 1: SQLite has no booleans. */
export type Flag = number
/** JSON text; the reader of the column knows its shape. */
type Json = string
/** Set when the row is written and never again. */
type Fixed<T> = ColumnType<T, T, never>

export interface OrganizationsTable {
  id: Generated<number>
  name: string
  time_zone_name: string
  /** Most subscribers over all lists; null = no limit. */
  subscriber_limit: number | null
  /** Whether new subscribers must confirm (confirmation_form_id). */
  enforces_confirmed_opt_in: ColumnType<Flag, Flag | undefined, Flag>
  /** The day of the month on which its billing year begins. */
  anniversary_day: ColumnType<number, number | undefined, number>
  html_header: ColumnType<string, string | undefined, string>
  html_footer: ColumnType<string, string | undefined, string>
  text_header: ColumnType<string, string | undefined, string>
  text_footer: ColumnType<string, string | undefined, string>
  created_at: Fixed<Time>
  updated_at: Time
}

export interface UsersTable {
  id: Generated<number>
  organization_id: Fixed<number>
  full_name: string
  full_name_key: string
  email: string
  /** {@link emailKey} of the email: unique among the users who are not deleted. */
  email_key: string
  active: Flag
  role: UserRole
  /** {@link UserPermissions} of a standard user */
  permissions: ColumnType<Json, Json | undefined, Json>
  show_quick_tips: ColumnType<Flag, Flag | undefined, Flag>
  /** An array of addresses. */
  default_preview_recipients: ColumnType<Json, Json | undefined, Json>
  default_html_editor: ColumnType<HtmlEditor, HtmlEditor | undefined, HtmlEditor>
  terms_and_conditions_version: ColumnType<number | null, number | null | undefined, number | null>
  time_zone: ColumnType<string | null, string | null | undefined, string | null>
  /** See api/users/passwords.ts; null = nobody signs in with a password. */
  password_hash: ColumnType<string | null, string | null | undefined, string | null>
  /** Failed passwords in a row. */
  password_failures: ColumnType<number, number | undefined, number>
  password_failed_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  locked_out_until: ColumnType<Time | null, Time | null | undefined, Time | null>
  created_at: Fixed<Time>
  updated_at: Time
  deleted_at: ColumnType<Time | null, undefined, Time>
}

export interface ApiKeysTable {
  id: Generated<number>
  organization_id: number
  user_id: number
  name: string
  /** SHA-256 of the key. A key has 160 random bits, so nothing slower is needed. */
  key_hash: Buffer
  created_at: Fixed<Time>
  /** To the minute; null = never. */
  last_used_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  /** Whether it is removed when the application ends, or at its next start. */
  ends_with_process: ColumnType<Flag, Flag | undefined, never>
}

export interface WindowSessionsTable {
  token_hash: Buffer
  /** Which one the window shows: the user's, or for system administrators any. */
  organization_id: number
  user_id: number
  created_at: Fixed<Time>
  expires_at: Time
}

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
  /** Of a Remote List only. */
  database_connection_id: number | null
  /** custom field id -> stored value */
  preview_custom_field_data: Json
  created_at: Fixed<Time>
  updated_at: Time
  deleted_at: Time | null
  /** Null until the background removal of a deleted list's subscribers is done. */
  purged_at: Time | null
}

export interface VirtualMtasTable {
  id: Generated<number>
  organization_id: number
  name: string
  name_key: string
}

export interface UrlDomainsTable {
  id: Generated<number>
  organization_id: number
  domain: string
}

/** The first part of a bounce email's id names its user, the second its domain: "4@1". */
export interface BounceDomainsTable {
  id: Generated<number>
  organization_id: number
  domain: string
}

export interface BounceEmailsTable {
  id: Generated<number>
  bounce_domain_id: number
  username: string
}

/** Of the whole installation. */
export interface DatabaseConnectionsTable {
  id: Generated<number>
  name: string
  name_key: string
}

export interface SeedListsTable {
  id: Generated<number>
  organization_id: number
  name: string
  name_key: string
  /** array of addresses */
  addresses: Json
  created_at: Fixed<Time>
  updated_at: Time
}

export interface MailingListSeedListsTable {
  mailing_list_id: number
  seed_list_id: number
}

/** Who of a list is meant; see api/segments/queries.ts. */
export interface SegmentsTable {
  id: Generated<number>
  mailing_list_id: number
  /** Null = ad hoc: it belongs to the campaign or template that brought it. */
  name: string | null
  /** Lower-cased name. */
  name_key: string | null
  /** {@link SegmentCondition}[]; all must hold */
  clause: Json
  created_at: Fixed<Time>
  updated_at: Time
}

export interface AutorespondersTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  /** Lower-cased name: unique on the list. */
  name_key: string
  /** Null = not paused. */
  paused_at: Time | null
  trigger: AutoresponderTrigger
  delay: 'immediately' | 'with_delay'
  delay_amount: number
  delay_unit: AutoresponderDelayUnit | null
  /** Hour of the day, in the organization's time zone, for delays of days and longer. */
  delay_time: number
  trigger_include_subscribers_from_import: Flag
  trigger_run_on_api: Flag
  trigger_campaign_to_open_id: number | null
  trigger_autoresponder_to_open_id: number | null
  use_external_delivery_setting: Flag
  bounce_email_id: number | null
  from_name: string | null
  from_email: string | null
  virtual_mta_id: number | null
  url_domain_id: number | null
  track_opens: Flag
  track_links: Flag
  content_subject: string
  content_format: ContentFormat
  content_html: string
  content_text: string
  segmentation_criteria_id: number | null
  created_at: Fixed<Time>
  updated_at: Time
}

/** A campaign, or a template, which is never sent. */
export interface CampaignsTable {
  id: Generated<number>
  mailing_list_id: number
  is_template: Fixed<Flag>
  name: string
  segment_id: number | null
  /** The query of a Remote List's recipients. */
  remote_sql: string | null
  created_at: Fixed<Time>
  updated_at: Time
  /** A deleted campaign that was sent stays behind the links of its messages. */
  deleted_at: ColumnType<Time | null, undefined, Time>
}

/** A version of a campaign's message; several are a split test. */
export interface CampaignContentsTable {
  id: Generated<number>
  campaign_id: number
  name: string
  subject: string
  format: ContentFormat
  html: string
  text: string
}

/** The delivery settings of a campaign, and where its delivery stands. */
export interface DispatchesTable {
  campaign_id: number
  state: CampaignState
  /** Why it failed, or was paused by a fault. */
  error_message: string | null
  paused: Flag
  /** Null = the system default route. */
  virtual_mta_id: number | null
  bounce_email_id: number | null
  url_domain_id: number | null
  /** Messages per hour; 0 = unlimited. */
  speed: number
  track_opens: Flag
  track_links: Flag
  from_name: string | null
  from_email: string | null
  reply_to: string | null
  sender_email: string | null
  autowinner_enabled: Flag
  autowinner_percentage: string | null
  autowinner_delay_amount: number | null
  autowinner_delay_unit: string | null
  autowinner_metric: string | null
  begins_at: Time | null
  /** Whether it was to begin at once, whatever the clock says later. */
  begins_at_once: ColumnType<Flag, Flag | undefined, Flag>
  started_at: Time | null
  finished_at: Time | null
  /** When where the delivery stands changed last; null before the first change. */
  updated_at: ColumnType<Time | null, Time | null | undefined, Time>
}

export interface DispatchSeedListsTable {
  campaign_id: number
  seed_list_id: number
}

/** How far the delivery of a campaign that has begun is. */
export interface DeliveriesTable {
  campaign_id: number
  phase: DeliveryPhase
  /** The newest subscriber when it began: later ones get nothing. */
  last_id: Fixed<number>
  /** The last subscriber that the phase has dealt with. */
  after_id: number
  /** Where the transport stands, such as the length of the outbox in bytes. */
  position: number
  /** Null = not counted yet. */
  recipients: number | null
  /** When the winner of a split test is to be chosen. */
  decides_at: Time | null
  winning_content_id: number | null
  /** {@link Shares} of a split test; null until they were drawn. */
  shares: ColumnType<Json | null, undefined, Json>
  /** Whether the links of the contents are all in stat_links. */
  has_links: ColumnType<Flag, Flag | undefined, Flag>
}
/** Everybody gets a message, or some get one for a split test and, after a delay, the others the winner. */
export type DeliveryPhase = 'everybody' | 'split_testing' | 'decision_delay' | 'winner'

/** What is counted together: a campaign or an autoresponder. */
export interface StatsTable {
  id: Generated<number>
  campaign_id: number | null
  autoresponder_id: number | null
}

/** One content of a campaign, or the content of an autoresponder. */
export interface StatSlicesTable {
  id: Generated<number>
  stat_id: number
  content_id: number | null
}

/** Counters of a slice within an hour. */
export interface StatCountersTable extends Record<CounterName, Generated<number>> {
  stat_slice_id: number
  /** The beginning of the hour, by the clock of the organization. */
  hour: Time
}

/** A link of a content, as it stands there. */
export interface StatLinksTable {
  id: Generated<number>
  stat_slice_id: number
  url: string
}

/** What a recipient did with a message. */
export interface StatEventsTable {
  id: Generated<number>
  stat_slice_id: number
  type: StatEventType
  subscriber_id: number
  email: string
  /** Whether it was the first of its type by this recipient. */
  is_unique: Flag
  link_id: number | null
  /** Whether it was the first click of this recipient on this link. */
  is_unique_of_link: Flag | null
  bounce_code: string | null
  ip: string | null
  occurred_at: Time
}
export type StatEventType = 'open' | 'click' | 'bounce' | 'scomp' | 'unsub'

/** The counts of a content when a winner was to be chosen. */
export interface StatSnapshotsTable {
  id: Generated<number>
  stat_slice_id: number
  /** 32 hex digits that the snapshots of one moment share. */
  snapshot_group: string
  /** {@link StatisticCounts} */
  counts: Json
  taken_at: Time
}

/** A message that an autoresponder is to send to a subscriber; the delivery takes it from here. */
export interface AutoresponderReactionsTable {
  id: Generated<number>
  autoresponder_id: number
  subscriber_id: number
  due_at: Time
  /** key -> value of %%api:key%%, or {} */
  content_replacement_fields: Json
  created_at: Fixed<Time>
}

/** Forms with which people subscribe. */
export interface WebFormsTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  requires_confirmation: Flag
  created_at: Fixed<Time>
  updated_at: Time
}

/** Who is to be a subscriber once they confirm. */
export interface PendingSubscriptionsTable {
  id: Generated<number>
  mailing_list_id: number
  web_form_id: number
  email: string
  email_key: string
  /** {@link SubscriberInput} */
  subscriber: Json
  created_at: Fixed<Time>
}

export interface DeleteConfirmationsTable {
  mailing_list_id: number
  code: string
  expires_at: Time
}

export interface MailingListCountsTable {
  mailing_list_id: number
  status: SubscriberStatus
  subscribers: number
}

/** How many subscribers of a list have an id in [block * 1024, (block + 1) * 1024): finds a position without OFFSET. */
export interface SubscriberBlocksTable {
  mailing_list_id: number
  block: number
  subscribers: number
}

/** The same for blocksPerGroup blocks each. */
export interface SubscriberBlockGroupsTable {
  mailing_list_id: number
  block_group: number
  subscribers: number
}

export interface CustomFieldsTable {
  id: Generated<number>
  organization_id: number
  /** Null = global in the organization. */
  mailing_list_id: number | null
  name: string
  /** Lower-cased name: names are compared without regard to case. */
  name_key: string
  field_type: CustomFieldType
  required: Flag
  instructions: string | null
  /** The extra attributes of the type (spec, "Custom field"), options excepted. */
  attributes: Json
  created_at: Fixed<Time>
  updated_at: Time
  deleted_at: Time | null
}

export interface CustomFieldOptionsTable {
  id: Generated<number>
  custom_field_id: number
  name: string
  position: number
}

export interface SubscribersTable {
  id: number
  mailing_list_id: number
  email: string
  /** Lower-cased email. */
  email_key: string
  /** On lists with primary_key_custom_field_id: the field's id and its value, as "7:value"; else null. */
  alternate_key: string | null
  status: SubscriberStatus
  confirmed: Flag | null
  email_format: string | null
  subscribe_time: Time
  subscribe_ip: string | null
  remove_time: Time | null
  remove_ip: string | null
  /** custom field id -> stored value; see api/custom-fields/rules.ts */
  custom_fields: Json
  created_at: Fixed<Time>
  updated_at: Time
}

export interface SubscriberImportsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  state: ImportState
  error_message: string | null
  begins_at: Time
  /** Whether it was to begin at once, whatever the clock says later. */
  begins_at_once: ColumnType<Flag, Flag | undefined, Flag>
  started_at: Time | null
  finished_at: Time | null
  /** The request's settings after defaults; see imports/settings.ts */
  settings: Json
  source_type: 'json' | 'upload_directory' | 'url'
  /** Shown name: "data" for json; '' for url. */
  source_filename: string
  /** Where the file is downloaded from; null for the other types. */
  source_url: string | null
  /** When its download is tried again; null while it is not waited for. */
  retry_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  /** Where the bytes are, relative to the data directory. */
  source_path: string
  /** "<bytes>:<mtime ms>" when first read: a file that changed since cannot be continued. */
  source_fingerprint: string | null
  number_of_records: number | null
  /** Set with number_of_records: an import that continues must write its rows in the same order. */
  row_order: RowOrder | null
  records_imported: number
  /** {@link ImportCounts} */
  counts: Json
  logs_purged_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

export interface SubscriberExportsTable {
  id: Generated<number>
  organization_id: number
  mailing_list_id: number
  state: ExportState
  error_message: string | null
  /** {@link ExportSettings} */
  settings: Json
  number_of_records: number | null
  records_exported: number
  /** The last subscriber in the file, and how long the file is with it. */
  after_id: number
  bytes_written: number
  started_at: Time | null
  finished_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

/** A file whose addresses go onto a suppression list. */
export interface SuppressedAddressImportsTable {
  id: Generated<number>
  organization_id: number
  suppression_list_id: number
  user_id: number
  state: SuppressedAddressImportState
  error_message: string | null
  source_filename: string
  /** Relative to the data directory. */
  source_path: string
  /** Tells whether the file is the one that it was; see fingerprintOf. */
  source_fingerprint: string
  /** {@link FileFormat} */
  file_format: Json
  number_of_records: number | null
  /** How far it is. */
  records_read: Generated<number>
  /** Those that were not on the list yet. */
  addresses_added: Generated<number>
  /** Records without an address, domain or MD5 sum. */
  records_skipped: Generated<number>
  started_at: Time | null
  finished_at: Time | null
  created_at: Fixed<Time>
  updated_at: Time
}

/** What became of each row of a committed batch, a byte a row: lets an interrupted import continue exactly. */
export interface ImportBatchesTable {
  subscriber_import_id: number
  batch: number
  /** How many rows it has; fewer outcomes are those of a batch whose rest has yet to be written. */
  rows: number
  outcomes: Buffer
}

/** What the writer changed at one time for an import; see undo-commands.ts. */
export interface ImportChangesTable {
  id: Generated<number>
  subscriber_import_id: number
  /** The time of the command: subscribers whose updated_at is another were changed since. */
  written_at: Time
  first_added_id: number | null
  last_added_id: number | null
  /** Compressed JSON of Overwritten[]; null = none. */
  overwritten: Buffer | null
  /** How many ids and entries these are. */
  subscribers: number
  /** How many of them an undoing has dealt with. */
  undone: ColumnType<number, number | undefined, number>
}

/** An import that is being undone, or was. */
export interface ImportUndosTable {
  subscriber_import_id: number
  total: number
  done: ColumnType<number, number | undefined, number>
  removed: ColumnType<number, number | undefined, number>
  restored: ColumnType<number, number | undefined, number>
  kept: ColumnType<number, number | undefined, number>
  started_at: Fixed<Time>
  finished_at: ColumnType<Time | null, Time | null | undefined, Time | null>
}

/** A subscriber whom an undoing left as it is, and why. */
export interface ImportUndoKeptTable {
  subscriber_import_id: number
  subscriber_id: number
  email: string
  reason: KeptReason
}
export type KeptReason = 'changed' | 'primary_key'

/** Where the columns of a kind of file go, saved for a list under a name. */
export interface ImportMappingsTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  name_key: string
  /** {@link MappingSettings} */
  settings: Json
  created_at: Fixed<Time>
  updated_at: Time
}

/** Where a column with this header went in the last import of the window. */
export interface RememberedColumnsTable {
  mailing_list_id: number
  header_key: string
  /** As in column_mapping; null = it was left out. */
  target: string | null
}

/** The next free id of a table whose ids the writer allocates in runs. */
export interface IdSequencesTable {
  name: string
  next_id: number
}

/** Append-only. One row covers a run of ids, so a batch of an import adds one and not ten thousand. */
export interface ChangeLogTable {
  id: Generated<number>
  at: Time
  entity: ChangedEntity
  action: ChangeAction
  organization_id: number
  mailing_list_id: number | null
  first_id: number
  last_id: number
}

/** A list that is changing its primary key; see api/mailing-lists/rekey-commands.ts. */
export interface ListRekeysTable {
  mailing_list_id: number
  /** The key to be; null = the email. */
  custom_field_id: number | null
  phase: 'collecting' | 'applying' | 'clearing'
  /** The last subscriber that the phase has dealt with. */
  after_id: number
}

/** The keys to be of a list that is changing its primary key. */
export interface RekeyEntriesTable {
  mailing_list_id: number
  key: string
  subscriber_id: number
}

/** The configuration directives and secrets of this installation, by name. */
export interface SettingsTable {
  name: string
  value: Json
}

export interface SuppressionListsTable {
  id: Generated<number>
  organization_id: number
  /** The list that it is for; null = all lists of the organization, or of all when it is the System Organization's. */
  mailing_list_id: number | null
  name: string
  name_key: string
  /** How many it has. */
  addresses: ColumnType<number, number | undefined, number>
  created_at: Fixed<Time>
  updated_at: Time
}

export interface SuppressedAddressesTable {
  id: Generated<number>
  suppression_list_id: number
  /** Who added it. */
  user_id: number
  /** As it was given. */
  email: string
  /** As it is compared; see suppression-lists/rules.ts */
  key: string
  address_type: AddressType
}

/** Many addresses that are being written; see jobs/suppression-requests.ts. */
export interface SuppressionRequestsTable {
  id: Generated<number>
  suppression_list_id: number
  user_id: number
  /** One a line. */
  addresses: string
  /** How many characters of it were dealt with. */
  done: number
}

/** Tables that a sync mirrors. */
export type ChangedEntity =
  | 'organization'
  | 'user'
  | 'mailing_list'
  | 'custom_field'
  | 'subscriber'
  | 'subscriber_import'
  | 'subscriber_export'
  | 'seed_list'
  | 'url_domain'
  | 'bounce_email'
  | 'virtual_mta'
  | 'database_connection'
  | 'autoresponder'
  | 'segment'
  | 'campaign'
  | 'template'
  | 'suppression_list'
  | 'suppressed_address_import'
  | 'web_form'
  | 'pending_subscription'
export type ChangeAction = 'create' | 'update' | 'delete'

/** Every table, as Kysely sees it. The migrations create them. */
export interface Schema {
  organizations: OrganizationsTable
  users: UsersTable
  api_keys: ApiKeysTable
  window_sessions: WindowSessionsTable
  mailing_lists: MailingListsTable
  delete_confirmations: DeleteConfirmationsTable
  mailing_list_counts: MailingListCountsTable
  subscriber_blocks: SubscriberBlocksTable
  subscriber_block_groups: SubscriberBlockGroupsTable
  custom_fields: CustomFieldsTable
  custom_field_options: CustomFieldOptionsTable
  subscribers: SubscribersTable
  subscriber_imports: SubscriberImportsTable
  import_batches: ImportBatchesTable
  import_changes: ImportChangesTable
  import_undos: ImportUndosTable
  import_undo_kept: ImportUndoKeptTable
  import_mappings: ImportMappingsTable
  remembered_columns: RememberedColumnsTable
  subscriber_exports: SubscriberExportsTable
  id_sequences: IdSequencesTable
  change_log: ChangeLogTable
  settings: SettingsTable
  list_rekeys: ListRekeysTable
  rekey_entries: RekeyEntriesTable
  virtual_mtas: VirtualMtasTable
  url_domains: UrlDomainsTable
  bounce_domains: BounceDomainsTable
  bounce_emails: BounceEmailsTable
  database_connections: DatabaseConnectionsTable
  seed_lists: SeedListsTable
  mailing_list_seed_lists: MailingListSeedListsTable
  segments: SegmentsTable
  autoresponders: AutorespondersTable
  campaigns: CampaignsTable
  campaign_contents: CampaignContentsTable
  dispatches: DispatchesTable
  dispatch_seed_lists: DispatchSeedListsTable
  deliveries: DeliveriesTable
  stats: StatsTable
  stat_slices: StatSlicesTable
  stat_counters: StatCountersTable
  stat_links: StatLinksTable
  stat_events: StatEventsTable
  stat_snapshots: StatSnapshotsTable
  autoresponder_reactions: AutoresponderReactionsTable
  suppression_lists: SuppressionListsTable
  suppressed_addresses: SuppressedAddressesTable
  suppression_requests: SuppressionRequestsTable
  suppressed_address_imports: SuppressedAddressImportsTable
  web_forms: WebFormsTable
  pending_subscriptions: PendingSubscriptionsTable
}

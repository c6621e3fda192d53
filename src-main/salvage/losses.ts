import { createWriteStream, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { formatCount } from '../base/figures.ts'
import { csvWriter } from '../csv/csv-writer.ts'

/** The fate of a record of a damaged database. */
export type Loss =
  | 'lost'
  /** It stands on a page that was changed by something else. */
  | 'doubtful'
  /** It was lost, and something stands in its place, since others belong to it. */
  | 'replaced'
  /** The record could be read, but it was removed because the record that it belongs to is lost. */
  | 'removed'
  /** It went on by itself, and does not any more. */
  | 'stopped'

/** The number of lost or changed records. */
export type LossCounts = Record<Loss, number>

/** Names of the records of each table, for users. */
export const recordNames: Record<string, string> = {
  api_keys: 'API key',
  attachment_files: 'File of an attachment',
  attachments: 'Attachment',
  autoresponder_reactions: 'Waiting autoresponder message',
  autoresponders: 'Autoresponder',
  bounce_domains: 'Bounce domain',
  bounce_emails: 'Bounce email',
  bulk_actions: 'Bulk action',
  campaign_contents: 'Campaign message',
  campaign_log: 'History log of a campaign',
  campaigns: 'Campaign or template',
  change_log: 'History entry',
  custom_field_options: 'Custom field option',
  custom_fields: 'Custom field',
  deliveries: 'Delivery progress',
  dispatches: 'Delivery settings',
  dkim_keys: 'DKIM key',
  drafts: 'Draft',
  events: 'Event',
  images: 'Image',
  import_mappings: 'Saved mapping',
  import_schedules: 'Repeated import',
  judgements: 'Judgement of bounces',
  list_pages: 'Look of the pages of a list',
  mailing_lists: 'List',
  mailboxes: 'Mailbox',
  message_journal: 'Journal of a message',
  organizations: 'Organization',
  pending_subscriptions: 'Unconfirmed subscription',
  preview_journal: 'Journal of a preview',
  remote_recipients: 'Recipient of a Remote List',
  remote_removals: 'Unsubscribe, bounce or complaint of a Remote List',
  received_messages: 'Received message',
  received_recipients: 'What a received message says',
  route_servers: 'Server of a sending route',
  seed_lists: 'Seed list',
  segments: 'Segment',
  settings: 'Setting',
  smtp_servers: 'SMTP server',
  spools: 'Recipients that were read',
  stat_counters: 'Hourly statistics',
  stat_events: 'Campaign event',
  stat_links: 'Campaign link',
  stat_machine_counters: 'Opens and clicks by programs',
  stat_recipients: 'Campaign recipient',
  stat_slices: 'Statistics of a campaign message',
  stat_snapshots: 'Split test result',
  stats: 'Campaign statistics',
  subscriber_exports: 'Export',
  subscriber_imports: 'Import',
  subscribers: 'Subscriber',
  suppressed_address_imports: 'Import of suppressed addresses',
  suppressed_addresses: 'Suppressed address',
  suppression_lists: 'Suppression list',
  sync_remotes: 'Sync server',
  table_views: 'List view',
  url_domains: 'URL domain',
  users: 'User',
  virtual_mtas: 'Virtual MTA',
  web_forms: 'Form',
  write_backs: 'Write-back of a Remote List',
  webhook_messages: 'Message to a webhook',
  webhooks: 'Webhook',
  window_sessions: 'Sign-in'
}

const sentences: Record<Loss, string> = {
  lost: 'Lost',
  doubtful: 'Kept, but its part of the file was changed: please check it',
  replaced: 'Lost; replaced with an empty one, because other records depend on it',
  removed: 'Readable, but removed because what it belongs to is lost',
  stopped: 'Was running and has been stopped: start it again if you need it'
}

const lines = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' }, true)

/** Null = it has none, or that is not known. */
export type RecordId = number | bigint | null

/** Writes the list of lost records as a CSV file with one row each, since there may be very many. */
export class LossList {
  readonly counts: LossCounts = { lost: 0, doubtful: 0, replaced: 0, removed: 0, stopped: 0 }
  readonly #lost = new Map<string, number>()
  readonly #stream: WriteStream
  readonly #written: Promise<void>

  constructor(path: string) {
    this.#stream = createWriteStream(path, { flush: true })
    this.#written = finished(this.#stream)
    // The error is thrown when the list is closed.
    this.#written.catch(() => undefined)
    this.#stream.write(lines([['Record', 'Id', 'Name', 'List', 'What became of it']]))
  }

  /** @param name what it is called; empty where that is not known */
  add(loss: Loss, table: string, id: RecordId, name = '', list = ''): void {
    this.counts[loss]++
    if (loss === 'lost') this.#lost.set(table, this.lostOf(table) + 1)
    const record = recordNames[table] ?? `Entry of ${table.replaceAll('_', ' ')}`
    this.#stream.write(lines([[record, String(id ?? ''), name, list, sentences[loss]]]))
  }

  addUnnamed(table: string, records: number): void {
    this.counts.lost += records
    const record = recordNames[table] ?? table
    this.#stream.write(
      lines([[record, '', `${formatCount(records)} who cannot be named`, '', sentences.lost]])
    )
  }

  tellUnknown(): void {
    this.#stream.write(
      lines([['', '', '', '', 'The end of the file is missing: more may be lost than is listed here']])
    )
  }

  lostOf(table: string): number {
    return this.#lost.get(table) ?? 0
  }

  /** @throws Error where it could not be written */
  async close(): Promise<void> {
    this.#stream.end()
    await this.#written
  }
}

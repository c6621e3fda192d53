// The shape of an answer, written as the specification's tables are: each key with its type, and no other key.

/** A type of the specification; with ? the value may be null as well. */
type Scalar =
  | 'integer'
  | 'string'
  | 'number'
  | 'boolean'
  | 'timestamp'
  | 'null'
  | 'any'
  | 'integer?'
  | 'string?'
  | 'boolean?'
  | 'timestamp?'

export type Shape = Scalar | { [key: string]: Shape } | [Shape] | HashOf

/** Any keys, each with a value of the shape. */
export class HashOf {
  readonly value: Shape

  constructor(value: Shape) {
    this.value = value
  }
}

/** Returns the differences as sentences; none if the value has exactly this shape. */
export function differences(value: unknown, shape: Shape, path = 'data'): string[] {
  if (typeof shape === 'string')
    return isScalar(value, shape) ? [] : [`${path} is ${JSON.stringify(value)}, not ${shape}`]
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${path} is no array`]
    return value.flatMap((item, index) => differences(item, shape[0], `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`]
  const entries = Object.entries(value)
  if (shape instanceof HashOf) {
    const { value: inner } = shape
    return entries.flatMap(([key, item]) => differences(item, inner, `${path}.${key}`))
  }
  const missing = Object.keys(shape).filter((key) => !(key in value))
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...entries.flatMap(([key, item]) => {
      const inner = shape[key]
      return inner === undefined
        ? [`${path}.${key} is one too many`]
        : differences(item, inner, `${path}.${key}`)
    })
  ]
}

function isScalar(value: unknown, type: Scalar): boolean {
  if (type === 'any') return value !== undefined
  if (type.endsWith('?')) return value === null || isScalar(value, type.slice(0, -1) as Scalar)
  switch (type) {
    case 'null':
      return value === null
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'timestamp':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(value)
    default:
      return typeof value === type
  }
}

export const reference: Shape = { id: 'integer', name: 'string' }
export const typedValue: Shape = { name: 'string', type: 'string', value: 'any' }

export const mailingList: Shape = {
  id: 'integer',
  name: 'string',
  d_from_email: 'string?',
  d_from_name: 'string?',
  d_reply_to: 'string?',
  d_sender_email: 'string?',
  d_virtual_mta: 'string',
  d_virtual_mta_id: 'integer',
  d_url_domain: 'string?',
  d_url_domain_id: 'integer?',
  d_speed: 'integer',
  d_bounce_email: 'string?',
  d_bounce_email_id: 'string?',
  d_seed_lists: [reference],
  d_autowinner_enabled: 'boolean',
  d_autowinner_percentage: 'string?',
  d_autowinner_delay_amount: 'integer?',
  d_autowinner_delay_unit: 'string?',
  d_autowinner_metric: 'string?',
  has_format: 'boolean',
  has_confirmed: 'boolean',
  custom_headers_enabled: 'boolean',
  custom_headers: 'string',
  primary_key_custom_field_id: 'integer?',
  preview_custom_field_data: new HashOf(typedValue),
  is_remote_list: 'boolean',
  database_connection_id: 'integer?',
  database_connection_name: 'string?'
}

export const textField: { [key: string]: Shape } = {
  id: 'integer',
  is_global: 'boolean',
  mailing_list_id: 'integer?',
  name: 'string',
  field_type: 'string',
  required: 'boolean',
  instructions: 'string?',
  default_string: 'string?',
  minimum_length: 'integer?',
  maximum_length: 'integer?',
  interpolation_html_encode: 'boolean',
  interpolation_url_encode: 'boolean'
}

/** On a list with neither has_format nor has_confirmed. */
export const subscriber: { [key: string]: Shape } = {
  id: 'integer',
  mailing_list_id: 'integer',
  email: 'string',
  created_at: 'timestamp',
  created_at_epoch: 'integer',
  status: 'string',
  subscribe_time: 'timestamp',
  subscribe_time_epoch: 'integer',
  subscribe_ip: 'string?',
  custom_fields: new HashOf(typedValue)
}

export const subscriberByEmail: { [key: string]: Shape } = {
  id: 'integer',
  status: 'string',
  email: 'string',
  mailing_list: reference
}

const outcomes = ['added', 'updated', 'failed', 'skipped_overwrite', 'skipped_active', 'skipped_unsubscribed']
const otherOutcomes = [
  'skipped_scomp',
  'skipped_bounced',
  'skipped_deactivated',
  'skipped_duplicate',
  'skipped_over_limit'
]
const importCounts: Shape = Object.fromEntries(
  [...outcomes, ...otherOutcomes].map((name) => [name, 'integer'])
)

const fileSource: Shape = { type: 'string', filename: 'string?', url: 'string?' }
const importBasics: { [key: string]: Shape } = {
  id: 'integer',
  mailing_list_id: 'integer',
  mailing_list_name: 'string',
  created_at: 'timestamp',
  state: 'string',
  begins_at: 'timestamp',
  finished_at: 'timestamp?',
  file_source: fileSource
}

export const importSummary: Shape = {
  ...importBasics,
  stats: { number_of_records: 'integer?', records_imported: 'integer' }
}

export const subscriberImport: Shape = {
  ...importBasics,
  error_message: 'string?',
  overwrite: 'boolean',
  autoresponders: {
    subscription: { trigger: 'boolean', also_trigger_on_updated_subscribers: 'boolean' },
    api: { trigger_new: 'any', trigger_updated: 'any' }
  },
  overwrite_what: {
    custom_fields: 'boolean',
    confirmed: 'boolean',
    format: 'boolean',
    status: 'boolean',
    autoresponder: 'boolean'
  },
  overwrite_when_status: {
    active: 'boolean',
    unsubscribed: 'boolean',
    bounced: 'boolean',
    deactivated: 'boolean',
    scomp: 'boolean'
  },
  column_mapping: ['string'],
  default_custom_fields: new HashOf('any'),
  subscriber_defaults: { status: 'string' },
  file_format: {
    csv_has_headers: 'boolean',
    character_set: 'string',
    csv_field_separator: 'string',
    csv_field_enclosure: 'string',
    date_format: 'string'
  },
  stats: { number_of_records: 'integer?', records_imported: 'integer', subscribers: importCounts }
}

export const subscriberExport: Shape = {
  id: 'integer',
  mailing_list_id: 'integer',
  mailing_list_name: 'string',
  created_at: 'timestamp',
  started_at: 'timestamp?',
  finished_at: 'timestamp?',
  state: 'string',
  error_message: 'string?',
  segment_id: 'integer?',
  statuses: ['string'],
  columns: ['string'],
  file_format: {
    csv_has_headers: 'boolean',
    csv_field_separator: 'string',
    csv_field_enclosure: 'string',
    escape_formulas: 'boolean'
  },
  stats: { number_of_records: 'integer?', records_exported: 'integer' }
}

const statusCounts: Shape = {
  active: 'integer',
  bounced: 'integer',
  unsubscribed: 'integer',
  scomp: 'integer',
  deactivated: 'integer'
}

export const subscriberCounts: Shape = {
  organization: reference,
  counts: statusCounts,
  mailing_lists: [{ mailing_list: reference, counts: statusCounts }]
}

export const smtpServer: Shape = {
  id: 'integer',
  name: 'string',
  host: 'string',
  port: 'integer',
  security: 'string',
  authentication: 'string',
  username: 'string',
  sender_domains: ['string'],
  connections: 'integer',
  messages_per_connection: 'integer',
  messages_per_minute: 'integer',
  messages_per_hour: 'integer',
  messages_per_day: 'integer',
  signs_dkim: 'boolean',
  has_secret: 'boolean',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const dkimKey: Shape = {
  id: 'integer',
  domain: 'string',
  selector: 'string',
  is_enabled: 'boolean',
  has_private_key: 'boolean',
  record_name: 'string',
  record_value: 'string',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const preflightFinding: Shape = { check: 'string', verdict: 'string', message: 'string' }

export const rehearsal: Shape = {
  state: 'string',
  checked: 'integer',
  report: 'any',
  error_message: 'string?'
}

export const mailbox: Shape = {
  id: 'integer',
  name: 'string',
  protocol: 'string',
  host: 'string',
  port: 'integer',
  security: 'string',
  authentication: 'string',
  username: 'string',
  folder: 'string',
  deletes_reports: 'boolean',
  is_enabled: 'boolean',
  has_secret: 'boolean',
  checked_at: 'timestamp?',
  error_message: 'string?',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const publicPages: Shape = {
  language: 'string?',
  color: 'string',
  logo: 'string',
  is_public: 'boolean',
  description: 'string'
}

export const webhook: Shape = {
  id: 'integer',
  name: 'string',
  url: 'string',
  event_types: ['string'],
  batch_size: 'integer',
  allows_private_addresses: 'boolean',
  is_enabled: 'boolean',
  has_secret: 'boolean',
  waiting: 'integer',
  given_up: 'integer',
  delivered_at: 'timestamp?',
  failing_since: 'timestamp?',
  next_attempt_at: 'timestamp?',
  disabled_at: 'timestamp?',
  error_message: 'string?',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const webhookMessage: Shape = {
  id: 'integer',
  webhook_id: 'string',
  first_event_id: 'integer',
  last_event_id: 'integer',
  events: 'integer',
  state: 'string',
  attempts: 'integer',
  attempted_at: 'timestamp?',
  next_attempt_at: 'timestamp?',
  milliseconds: 'integer?',
  status: 'integer?',
  answer: 'string?',
  created_at: 'timestamp'
}

export const receivedMessage: Shape = {
  id: 'integer',
  kind: 'string',
  subject: 'string',
  received_at: 'timestamp',
  has_raw: 'boolean',
  recipients: 'any'
}

export const attachment: Shape = {
  id: 'integer',
  name: 'string',
  media_type: 'string',
  size: 'integer',
  created_at: 'timestamp'
}

export const deliveryRoute: Shape = {
  virtual_mta_id: 'integer',
  virtual_mta_name: 'string',
  transport: 'string',
  smtp_server_ids: ['integer']
}

export const journalCounts: Shape = {
  by_smtp: 'boolean',
  waiting: 'integer',
  in_flight: 'integer',
  accepted: 'integer',
  retry: 'integer',
  failed: 'integer',
  uncertain: 'integer',
  withdrawn: 'integer',
  next_retry_at: 'timestamp?'
}

export const journaledMessage: Shape = {
  content_id: 'integer?',
  subscriber_id: 'integer',
  email: 'string?',
  state: 'string',
  attempts: 'integer',
  changed_at: 'timestamp',
  retry_at: 'timestamp?',
  smtp_server: 'string?',
  code: 'integer?',
  reply: 'string?'
}

export const seedList: Shape = {
  id: 'integer',
  name: 'string',
  addresses_array: ['string'],
  created_at: 'timestamp',
  updated_at: 'timestamp',
  organization_id: 'integer'
}

export const autoresponder: Shape = {
  id: 'integer',
  mailing_list_id: 'integer',
  name: 'string',
  paused: 'boolean',
  trigger: 'string',
  delay: 'string',
  delay_amount: 'integer',
  delay_unit: 'string?',
  delay_time: 'integer',
  trigger_include_subscribers_from_import: 'boolean',
  trigger_run_on_api: 'boolean',
  trigger_campaign_to_open_id: 'integer?',
  trigger_autoresponder_to_open_id: 'integer?',
  use_external_delivery_setting: 'boolean',
  bounce_email_user_id: 'integer?',
  bounce_email_domain_id: 'integer?',
  from_name: 'string?',
  from_email: 'string?',
  virtual_mta_id: 'integer',
  url_domain_id: 'integer?',
  track_opens: 'boolean',
  track_links: 'boolean',
  content_subject: 'string',
  content_format: 'string',
  content_html: 'string',
  content_text: 'string',
  triggered_on: 'timestamp?',
  paused_at: 'timestamp?',
  segmentation_criteria_id: 'integer?',
  special_sending_rule_id: 'integer?',
  special_sending_rule_name: 'string?'
}

export const segmentSummary: { [key: string]: Shape } = {
  id: 'integer',
  mailing_list_id: 'integer',
  name: 'string',
  description: 'string'
}
export const segment: { [key: string]: Shape } = {
  ...segmentSummary,
  clause: [{ type: 'string', operator: 'string', mailing_list_id: 'integer', mailing_list: reference }]
}
export const dispatch: Shape = {
  state: 'string',
  state_description: 'string',
  virtual_mta_id: 'integer',
  virtual_mta_name: 'string',
  virtual_mta_type: 'string',
  bounce_email_id: 'string?',
  bounce_email_name: 'string?',
  bounce_email_user_id: 'integer?',
  bounce_email_domain_id: 'integer?',
  bounce_email_email: 'string?',
  url_domain_id: 'integer?',
  url_domain_name: 'string?',
  url_domain_domain: 'string?',
  seed_list_id: 'integer?',
  seed_list_name: 'string?',
  seed_lists: [reference],
  speed: 'integer',
  track_opens: 'boolean',
  track_links: 'boolean',
  paused: 'boolean',
  from_name: 'string?',
  from_email: 'string?',
  reply_to: 'string?',
  sender_email: 'string?',
  begins_at: 'timestamp?',
  started_at: 'timestamp?',
  finished_at: 'timestamp?',
  autowinner_enabled: 'boolean',
  autowinner_percentage: 'string?',
  autowinner_delay_amount: 'integer?',
  autowinner_delay_unit: 'string',
  autowinner_metric: 'string?',
  special_sending_rule_id: 'integer?',
  special_sending_rule_name: 'string?'
}
const campaignBasics: { [key: string]: Shape } = {
  id: 'integer',
  name: 'string',
  mailing_list_id: 'integer',
  mailing_list_name: 'string',
  content_subject: 'string?',
  email_format: 'string?',
  content_html: 'string?',
  content_text: 'string?',
  segmentation_criteria_id: 'integer?',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  organization_id: 'integer',
  organization_name: 'string',
  archived: 'boolean',
  content_determined: 'boolean',
  active_html_editor: 'string',
  dispatch
}
export const campaignSummary: Shape = {
  ...campaignBasics,
  state: 'string',
  state_description: 'string',
  paused: 'boolean',
  begins_at: 'timestamp?',
  started_at: 'timestamp?',
  finished_at: 'timestamp?',
  stats: 'null'
}
const statisticCounts: { [key: string]: Shape } = {
  sent_text: 'integer',
  sent_html: 'integer',
  sent_multipart: 'integer',
  messages_sent: 'integer',
  messages_html: 'integer',
  messages_text: 'integer',
  bounces_total: 'integer',
  bounces_unique: 'integer',
  bounces_unique_hard: 'integer',
  bounces_unique_soft: 'integer',
  bounces_unique_other: 'integer',
  bounces_unique_local: 'integer',
  bounces_unique_remote: 'integer',
  bounces_status_updated: 'integer',
  bounced: 'integer',
  duplicate_bounces: 'integer',
  unbounced: 'integer',
  clicks_total: 'integer',
  clicks_unique: 'integer',
  clicks_unique_by_link: 'integer',
  duplicate_clicks: 'integer',
  unclicked: 'integer',
  opens_total: 'integer',
  opens_unique: 'integer',
  unopened: 'integer',
  duplicate_opens: 'integer',
  scomps_total: 'integer',
  scomps_unique: 'integer',
  scomps_status_updated: 'integer',
  duplicate_scomps: 'integer',
  unsubs_total: 'integer',
  unsubs_unique: 'integer',
  unsubs_status_updated: 'integer',
  duplicate_unsubs: 'integer',
  skips_error: 'integer',
  skips_request: 'integer',
  total_messages: 'integer',
  total_success: 'integer',
  total_failure: 'integer',
  total_failure_toolong: 'integer',
  accepted: 'integer',
  in_queue: 'integer',
  max_unique_activities: 'integer',
  bounces_unique_by_code: 'null'
}
export const statSummary: { [key: string]: Shape } = {
  ...statisticCounts,
  bounce_rate: 'number',
  bounce_rate_hard: 'number',
  bounce_rate_soft: 'number',
  bounce_rate_other: 'number',
  bounce_local_rate: 'number',
  click_rate: 'number',
  click_to_open_rate: 'number',
  open_rate: 'number',
  open_ratio: 'number',
  scomp_rate: 'number',
  unsub_rate: 'number',
  accepted_rate: 'number',
  in_queue_rate: 'number'
}
const unsentDetail: { [key: string]: Shape } = {
  ...campaignBasics,
  segmentation_criteria_name: 'string?',
  segmentation_criteria_remote_sql: 'string?',
  campaign_contents: [
    { id: 'integer', name: 'string', subject: 'string', format: 'string', html: 'string', text: 'string' }
  ],
  stat_summary: 'null',
  content_stats: [{ content: reference, stat_summary: 'null' }],
  automatic_winner_selection: 'null',
  template: 'boolean'
}
/** A campaign that has not started. */
export const campaign: Shape = { ...unsentDetail, x_campaign_id: 'string' }
/** A campaign that has started, without a winner. */
export const begunCampaign: { [key: string]: Shape } = {
  ...unsentDetail,
  x_campaign_id: 'string',
  stat_summary: { ...statSummary, stat_id: 'integer' },
  content_stats: [{ content: reference, stat_summary: { ...statSummary, stat_slice_id: 'integer' } }]
}
/** A campaign whose split test chose a winner. */
export const sentCampaign: Shape = {
  ...begunCampaign,
  automatic_winner_selection: {
    state: 'string',
    winning_content: reference,
    snapshots: [
      {
        content: { id: 'integer', name: 'string', is_winner: 'boolean' },
        snapshot: {
          ...statisticCounts,
          id: 'integer',
          snapshot_group: 'string',
          stat_id: 'integer',
          stat_slice_id: 'integer',
          taken_at: 'timestamp'
        }
      }
    ]
  }
}
export const deletedCampaign: Shape = { campaign: reference }
export const linkStats: Shape = {
  all_unclicked_links_recorded: 'boolean',
  links: [
    {
      link_id: 'integer',
      url: 'string',
      clicks_total: 'integer',
      clicks_unique: 'integer',
      clicks_unique_by_link: 'integer'
    }
  ]
}
export const campaignReport: Shape = {
  campaign_report: [
    {
      organization: reference,
      mailing_list: reference,
      campaign: {
        ...(reference as object),
        state: 'string',
        paused: 'boolean',
        stats: {
          recipients: { total: 'integer', sent: 'integer', skip: 'integer', remaining: 'integer' },
          sent: { total: 'integer', accepted: 'integer', bounced: 'integer', in_queue: 'integer' },
          skip: { ssr_failure: 'integer', ssr_request: 'integer' },
          open: { total: 'integer', unique: 'integer' },
          click: { total: 'integer', unique: 'integer' },
          bounce: {
            total: 'integer',
            unique: 'integer',
            hard: 'integer',
            soft: 'integer',
            other: 'integer',
            subscribers_updated: 'integer'
          },
          scomp: { total: 'integer', unique: 'integer', subscribers_updated: 'integer' },
          unsub: { total: 'integer', unique: 'integer', subscribers_updated: 'integer' }
        }
      }
    }
  ]
}
export const messagesSent: Shape = {
  report: [
    {
      time_period_start: 'timestamp',
      time_period_end: 'timestamp',
      autoresponder_id: 'integer?',
      autoresponder_name: 'string?',
      campaign_id: 'integer?',
      campaign_name: 'string?',
      messages_sent: 'integer'
    }
  ]
}
export const template: Shape = { ...unsentDetail, custom_dynamic_template_id: 'null' }
export const templateSummary: Shape = {
  id: 'integer',
  name: 'string',
  mailing_list_id: 'integer',
  mailing_list_name: 'string',
  organization_id: 'integer',
  segmentation_criteria_id: 'integer?'
}

export const segmentationCriteria: Shape = {
  id: 'integer',
  name: 'string?',
  mailing_list_id: 'integer',
  criteria_sql: 'string',
  criteria_json: 'string',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const job: Shape = {
  id: 'integer',
  job_type: 'string',
  state: 'string',
  state2: 'string?',
  paused: 'boolean',
  name: 'string',
  mailing_list_id: 'integer?',
  organization_id: 'integer',
  suppression_list_id: 'integer?',
  progress_value: 'integer',
  progress_total: 'integer?',
  begins_at: 'timestamp?',
  started_at: 'timestamp?',
  finished_at: 'timestamp?',
  retry_at: 'timestamp?',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const organization: Shape = {
  id: 'integer',
  name: 'string',
  anniversary_day: 'integer',
  time_zone_name: 'string',
  html_header: 'string',
  html_footer: 'string',
  text_header: 'string',
  text_footer: 'string'
}

export const user: Shape = {
  id: 'integer',
  full_name: 'string',
  email: 'string',
  active: 'boolean',
  role: 'string',
  show_quick_tips: 'boolean',
  default_preview_recipients: ['string'],
  terms_and_conditions_version: 'integer?',
  default_html_editor: 'string',
  permissions: new HashOf(['string']),
  password_failure_lockout: { is_locked_out: 'boolean', expires_at: 'timestamp?' },
  time_zone: 'string?'
}

export const suppressionList: Shape = {
  id: 'integer',
  organization_id: 'integer',
  name: 'string',
  global: 'boolean',
  mailing_list_id: 'integer?'
}
export const suppressedAddress: Shape = {
  id: 'integer',
  suppression_list_id: 'integer',
  organization_id: 'integer',
  user_id: 'integer',
  email: 'string',
  address_type: 'string'
}

export const webForm: Shape = {
  id: 'integer',
  mailing_list_id: 'integer',
  name: 'string',
  requires_confirmation: 'boolean',
  language: 'string',
  confirmation_subject: 'string',
  confirmation_html: 'string',
  confirmation_text: 'string',
  confirmation_days: 'integer',
  has_page: 'boolean',
  page_title: 'string',
  page_intro: 'string',
  custom_field_ids: ['integer'],
  consent_text: 'string',
  success_text: 'string',
  page_url: 'string?',
  embed_html: 'string?',
  error_message: 'string?',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const pendingSubscription: Shape = {
  id: 'integer',
  mailing_list_id: 'integer',
  confirmation_form_id: 'integer',
  email: 'string',
  created_at: 'timestamp',
  sent_at: 'timestamp?',
  is_repeated: 'boolean',
  expires_at: 'timestamp?'
}

export const databaseConnection: Shape = {
  id: 'integer',
  name: 'string',
  engine: 'string?',
  host: 'string',
  port: 'integer',
  database: 'string',
  username: 'string',
  tls: 'string',
  authorities: 'string',
  organization_ids: ['integer'],
  time_limit: 'integer',
  has_secret: 'boolean',
  created_at: 'timestamp',
  updated_at: 'timestamp'
}

export const writeBack: Shape = {
  is_enabled: 'boolean',
  table_name: 'string',
  create_sql: 'string?',
  waiting: 'integer',
  checked_at: 'timestamp?',
  written_at: 'timestamp?',
  error_message: 'string?'
}

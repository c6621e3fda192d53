import type { RecordEdit } from '../../database/record-rows.ts'
import { flags, told } from '../../undo/told-columns.ts'
import type { AuditEvent } from './endpoints.ts'

// What an edit changed, in the words that people have for it: they know neither columns nor tables.

const named: Record<string, string> = {
  html_header: 'html_header',
  html_footer: 'html_footer',
  text_header: 'text_header',
  text_footer: 'text_footer',
  d_speed: 'speed',
  d_autowinner_enabled: 'split_test',
  d_autowinner_percentage: 'split_test',
  d_autowinner_delay_amount: 'split_test',
  d_autowinner_delay_unit: 'split_test',
  d_autowinner_metric: 'split_test',
  custom_headers_enabled: 'custom_headers',
  custom_headers: 'custom_headers',
  d_virtual_mta_id: 'virtual_mta',
  virtual_mta_id: 'virtual_mta',
  d_url_domain_id: 'url_domain',
  url_domain_id: 'url_domain',
  d_bounce_email_id: 'bounce_email',
  bounce_email_id: 'bounce_email',
  use_external_delivery_setting: 'delivery_settings',
  dispatches: 'delivery_settings',
  database_connection_id: 'database_connection',
  preview_custom_field_data: 'preview_data',
  mailing_list_seed_lists: 'seed_lists',
  dispatch_seed_lists: 'seed_lists',
  field_type: 'type',
  attributes: 'rules_for_values',
  custom_field_options: 'options',
  clause: 'filter',
  segment_id: 'recipients',
  segments: 'recipients',
  segmentation_criteria_id: 'recipients',
  remote_sql: 'recipients',
  campaign_contents: 'content',
  attachments: 'attachments',
  soft_bounces: 'soft_bounces',
  soft_bounce_days: 'soft_bounces',
  content_format: 'content',
  content_html: 'content',
  content_text: 'content',
  paused_at: 'paused',
  trigger: 'trigger',
  trigger_campaign_to_open_id: 'trigger',
  trigger_autoresponder_to_open_id: 'trigger',
  delay: 'delay',
  delay_amount: 'delay',
  delay_unit: 'delay',
  delay_time: 'delay',
  addresses: 'addresses',
  plus_addressing: 'plus_addressing',
  language: 'language',
  confirmation_subject: 'confirmation_message',
  confirmation_html: 'confirmation_message',
  confirmation_text: 'confirmation_message',
  confirmation_days: 'confirmation_message',
  page_title: 'sign_up_page',
  page_intro: 'sign_up_page',
  custom_field_ids: 'sign_up_page',
  consent_text: 'sign_up_page',
  success_text: 'sign_up_page',
  has_page: 'sign_up_page',
  mailing_list_id: 'list',
  table_name: 'table_name',
  query: 'query',
  every_minutes: 'interval',
  is_enabled: 'is_enabled'
}

/** Returns the name of a column or part table in the audit log; undefined if users have no word for it. */
export function attributeOf(place: string): string | undefined {
  return told[place] ?? flags[place] ?? named[place]
}

export function changesOfEdit({ columns, parts }: RecordEdit): AuditEvent['changes'] {
  const values = Object.entries(columns).flatMap(([column, [before, now]]): AuditEvent['changes'] => {
    const [text, flag] = [told[column], flags[column]]
    if (text !== undefined) return [{ attribute: text, field: null, before: before ?? '', now: now ?? '' }]
    if (flag !== undefined) {
      return [{ attribute: flag, field: null, before: before === 1, now: now === 1 }]
    }
    return []
  })
  const others = [...Object.keys(columns), ...Object.keys(parts)].flatMap((place) => named[place] ?? [])
  return [
    ...values,
    ...[...new Set(others)].map((attribute) => ({ attribute, field: null, before: null, now: null }))
  ]
}

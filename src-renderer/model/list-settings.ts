import type { CustomField } from '../api/custom-fields.ts'
import type { MailingList, MailingListChanges } from '../api/mailing-lists.ts'
import { fillDraft } from './fill-draft.ts'

/** Stands for nothing where a select needs a value. */
export const none = 'none'

/** The settings of a list as the form holds them: texts as they are typed, '' for none; inputs of numbers hold either. */
export interface ListSettings {
  name: string
  d_from_name: string
  d_from_email: string
  d_reply_to: string
  d_sender_email: string
  d_speed: string | number
  d_virtual_mta: string
  d_url_domain: string
  d_bounce_email: string
  d_seed_list_ids: number[]
  d_autowinner_enabled: boolean
  d_autowinner_percentage: string
  d_autowinner_delay_amount: string | number
  d_autowinner_delay_unit: NonNullable<MailingListChanges['d_autowinner_delay_unit']>
  d_autowinner_metric: NonNullable<MailingListChanges['d_autowinner_metric']>
  custom_headers_enabled: boolean
  custom_headers: string
  has_format: boolean
  has_confirmed: boolean
  /** 0 is the email. */
  primary_key_custom_field_id: number
  /** 0 is no connection: the list is none of the remote ones. */
  database_connection_id: number
}

type SendingKey = Extract<keyof ListSettings, `d_${string}`>

/** Delivery settings before anything is entered. */
export const blankSending: Readonly<Pick<ListSettings, SendingKey>> = {
  d_from_name: '',
  d_from_email: '',
  d_reply_to: '',
  d_sender_email: '',
  d_speed: 0,
  d_virtual_mta: none,
  d_url_domain: none,
  d_bounce_email: none,
  d_seed_list_ids: [],
  d_autowinner_enabled: false,
  d_autowinner_percentage: '',
  d_autowinner_delay_amount: '',
  d_autowinner_delay_unit: 'hours',
  d_autowinner_metric: 'opens_unique'
}

const blankSettings: Readonly<ListSettings> = {
  name: '',
  ...blankSending,
  custom_headers_enabled: false,
  custom_headers: '',
  has_format: false,
  has_confirmed: false,
  primary_key_custom_field_id: 0,
  database_connection_id: 0
}

/** The form of a list, or of a new one. */
export function settingsOf(list: MailingList | undefined): ListSettings {
  const draft = { ...blankSettings, d_seed_list_ids: list?.d_seed_lists.map(({ id }) => id) ?? [] }
  return list ? fillDraft<ListSettings>(draft, list) : draft
}

/** Settings that only a split test uses; changes are stored even without one. */
export function winnerOf({ d_autowinner_delay_unit, d_autowinner_metric }: ListSettings) {
  return { d_autowinner_delay_unit, d_autowinner_metric }
}

/** Returns the form as a request, without the primary key. */
export function changesOf(form: ListSettings): MailingListChanges & { name: string } {
  const {
    primary_key_custom_field_id: primaryKey,
    database_connection_id: connection,
    d_autowinner_delay_unit,
    d_autowinner_metric,
    ...rest
  } = form
  return {
    ...rest,
    // Without an automatic winner these may be blank in the list, although the form shows its first choices.
    ...(form.d_autowinner_enabled && { d_autowinner_delay_unit, d_autowinner_metric }),
    name: form.name.trim(),
    d_from_name: form.d_from_name.trim() || null,
    d_from_email: form.d_from_email.trim() || null,
    d_reply_to: form.d_reply_to.trim() || null,
    d_sender_email: form.d_sender_email.trim() || null,
    d_speed: Number(form.d_speed),
    d_virtual_mta: chosen(form.d_virtual_mta),
    d_url_domain: chosen(form.d_url_domain),
    d_bounce_email: chosen(form.d_bounce_email),
    d_autowinner_percentage: form.d_autowinner_percentage.trim() || null,
    d_autowinner_delay_amount:
      form.d_autowinner_delay_amount === '' ? null : Number(form.d_autowinner_delay_amount),
    ...(connection !== 0 && { database_connection_id: connection })
  }
}

function chosen(value: string): string | null {
  return value === none ? null : value
}

/** The values with which a list previews its messages, by the name of the field. */
export function previewOf(list: MailingList, fields: CustomField[]): Record<string, unknown> {
  const preview = list.preview_custom_field_data as Record<string, { value: unknown } | undefined>
  return Object.fromEntries(fields.map(({ name }) => [name, preview[name]?.value ?? null]))
}

import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp, withDefault, WindowFault } from '../../http/schema.ts'

export const formLanguages = ['en', 'de'] as const
export type FormLanguage = (typeof formLanguages)[number]

const confirmation = () => ({
  /** The language of its pages and of its own texts. */
  language: Type.Enum([...formLanguages]),
  /** The confirmation message; '' = the text of the language. */
  confirmation_subject: Type.String({ maxLength: 255 }),
  confirmation_html: Type.String({ maxLength: 1_000_000 }),
  confirmation_text: Type.String({ maxLength: 1_000_000 }),
  /** How long the link of a confirmation message works. */
  confirmation_days: Type.Integer({ minimum: 1, maximum: 365 })
})

/** The page on which people subscribe, and the form for web pages of the user's own. */
const page = () => ({
  /** True = the form has a page that anyone with its address may use. */
  has_page: Type.Boolean(),
  /** '' = "Subscribe to" and the name of the list. */
  page_title: Type.String({ maxLength: 255 }),
  /** Above the fields. */
  page_intro: Type.String({ maxLength: 5000 }),
  /** The custom fields that it asks for, in their order. Required ones of the list are added. */
  custom_field_ids: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 100 }),
  /** What people must agree to; '' = nothing. */
  consent_text: Type.String({ maxLength: 2000 }),
  /** What people read after it; '' = the text of the language. */
  success_text: Type.String({ maxLength: 2000 })
})

/** A form with which people subscribe to a list; confirmation_form_id names one that requires confirmation. */
export const WebForm = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  name: Type.String(),
  requires_confirmation: Type.Boolean(),
  ...confirmation(),
  ...page(),
  /** The address of its page; null = it has none. */
  page_url: Nullable(Type.String()),
  /** The same form as HTML for another web page; null = it has no page. */
  embed_html: Nullable(Type.String()),
  /** Why confirmation messages are not being sent; null = nothing is in their way. */
  error_message: Nullable(Type.String()),
  fault: WindowFault,
  created_at: Timestamp,
  updated_at: Timestamp
})
export type WebForm = Static<typeof WebForm>

const input = {
  name: Filled({ maxLength: 255 }),
  requires_confirmation: Type.Boolean(),
  ...confirmation(),
  ...page()
}
const given = { ...confirmation(), ...page() }

export const WebFormInput = Type.Object({
  name: input.name,
  requires_confirmation: withDefault(Type.Boolean(), true),
  language: withDefault(given.language, 'en'),
  confirmation_subject: withDefault(given.confirmation_subject, ''),
  confirmation_html: withDefault(given.confirmation_html, ''),
  confirmation_text: withDefault(given.confirmation_text, ''),
  confirmation_days: withDefault(given.confirmation_days, 14),
  has_page: withDefault(given.has_page, false),
  page_title: withDefault(given.page_title, ''),
  page_intro: withDefault(given.page_intro, ''),
  custom_field_ids: withDefault(given.custom_field_ids, []),
  consent_text: withDefault(given.consent_text, ''),
  success_text: withDefault(given.success_text, '')
})
export type WebFormInput = Static<typeof WebFormInput>

export const WebFormChanges = Type.Partial(Type.Object(input))
export type WebFormChanges = Static<typeof WebFormChanges>

/** A subscriber who has not confirmed yet. */
export const PendingSubscription = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  confirmation_form_id: Type.Integer(),
  email: Type.String(),
  created_at: Timestamp,
  /** When its last confirmation message was handed over; null = it was not yet. */
  sent_at: Nullable(Timestamp),
  /** True if the message was asked for again, which is possible once. */
  is_repeated: Type.Boolean(),
  /** Until when the link works; null = there is none. */
  expires_at: Nullable(Timestamp)
})
export type PendingSubscription = Static<typeof PendingSubscription>

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

/** A form with which people subscribe to a list; confirmation_form_id names one that requires confirmation. */
export const WebForm = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  name: Type.String(),
  requires_confirmation: Type.Boolean(),
  ...confirmation(),
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
  ...confirmation()
}
const given = confirmation()

export const WebFormInput = Type.Object({
  name: input.name,
  requires_confirmation: withDefault(Type.Boolean(), true),
  language: withDefault(given.language, 'en'),
  confirmation_subject: withDefault(given.confirmation_subject, ''),
  confirmation_html: withDefault(given.confirmation_html, ''),
  confirmation_text: withDefault(given.confirmation_text, ''),
  confirmation_days: withDefault(given.confirmation_days, 14)
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

import { type Static, Type } from 'typebox'
import { Filled, Timestamp, withDefault } from '../../http/schema.ts'

/** A form with which people subscribe to a list; confirmation_form_id names one that requires confirmation. */
export const WebForm = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  name: Type.String(),
  requires_confirmation: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type WebForm = Static<typeof WebForm>

const input = {
  name: Filled({ maxLength: 255 }),
  requires_confirmation: Type.Boolean()
}

export const WebFormInput = Type.Object({
  name: input.name,
  requires_confirmation: withDefault(Type.Boolean(), true)
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
  created_at: Timestamp
})
export type PendingSubscription = Static<typeof PendingSubscription>

import { type Static, Type } from 'typebox'
import { endpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import { IdParams, wrapped, withDefault } from '../http/schema.ts'

const maxRecipients = 100

const PreviewInput = Type.Object({
  recipients: Type.Array(Type.String(), { minItems: 1, maxItems: maxRecipients }),
  /** True = a content in both formats is sent as two messages. */
  split_emails_by_format: withDefault(Type.Boolean(), false)
})
const previewing = {
  params: IdParams,
  body: wrapped('preview', PreviewInput),
  answer: envelope(Type.Null())
} as const
export type PreviewInput = Static<typeof PreviewInput>

export const campaignPreviewEndpoints = endpoints('Campaigns', {
  'POST /campaigns/:id/send_preview': {
    ...previewing,
    access: ['campaign.send', 'campaign.update'],
    summary: 'Send each content of a campaign to some addresses'
  }
})

export const autoresponderPreviewEndpoints = endpoints('Autoresponders', {
  'POST /autoresponders/:id/send_preview': {
    ...previewing,
    access: 'autoresponder.update',
    summary: 'Send the content of an autoresponder to some addresses'
  }
})

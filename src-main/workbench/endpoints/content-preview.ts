import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const Message = { subject: Type.String(), html: Type.String(), text: Type.String() }

/** A content as somebody would get it. */
const ContentPreview = Type.Object({
  ...Message,
  /** Codes that mean nothing, as they stand in the content. */
  unknown_codes: Type.Array(Type.String()),
  /** Whether each form of the message, with what the organization puts around it, holds the link for unsubscribing. */
  has_unsubscribe_link: Type.Object({ html: Type.Boolean(), text: Type.Boolean() })
})
export type ContentPreview = Static<typeof ContentPreview>

export const contentPreviewEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/content_preview': {
    access: 'signed_in',
    params: MailingListParams,
    body: Type.Object({ ...Message, name: Type.String() }),
    answer: envelope(ContentPreview)
  }
})

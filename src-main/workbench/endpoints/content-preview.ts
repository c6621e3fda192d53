import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const Message = { subject: Type.String(), html: Type.String(), text: Type.String() }

/** A content as somebody would get it, its pictures linked. */
const ContentPreview = Type.Object({
  ...Message,
  /** How many bytes each message has of pictures, where it carries its own. */
  image_bytes: Type.Integer(),
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
    body: Type.Object({
      ...Message,
      name: Type.String(),
      /** Who gets it; without one, somebody with the list's preview data. */
      subscriber_id: Type.Optional(Type.Integer()),
      /** Where it is another than the list's. */
      sender: Type.Optional(Type.Object({ from_name: Type.String(), from_email: Type.String() }))
    }),
    answer: envelope(ContentPreview)
  }
})

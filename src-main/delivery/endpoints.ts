import { type Static, Type } from 'typebox'
import { endpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import { PreflightFinding } from './preflight/findings.ts'
import { Rehearsal } from './rehearsal/schema.ts'
import { Filled, IdParams, wrapped, withDefault } from '../http/schema.ts'

export type { Rehearsal } from './rehearsal/schema.ts'
export type { PreflightFinding } from './preflight/findings.ts'

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

/** Extensions of the API: every message is composed, and none is sent (docs/api.md, "Sending"). */
export const rehearsalEndpoints = endpoints('Sending', {
  'POST /campaigns/:id/rehearsal': {
    access: 'campaign.update',
    summary: 'Compose the message to every recipient of a campaign without sending any',
    params: IdParams,
    answer: envelope(Rehearsal)
  },

  'GET /campaigns/:id/rehearsal': {
    access: 'campaign.update',
    summary: 'Read how far the rehearsal of a campaign is, or what it found',
    params: IdParams,
    answer: envelope(Rehearsal)
  },

  'DELETE /campaigns/:id/rehearsal': {
    access: 'campaign.update',
    summary: 'Cancel the rehearsal of a campaign',
    params: IdParams,
    answer: envelope(Rehearsal)
  }
})

/** What became of a test message. */
const SmtpTest = Type.Object({
  is_accepted: Type.Boolean(),
  /** The server's reply to the message, or why there was none. */
  reply: Type.String(),
  /** Passwords and tokens are left out. */
  conversation: Type.Array(Type.Object({ from: Type.Enum(['client', 'server']), text: Type.String() }))
})

export type SmtpTest = Static<typeof SmtpTest>

/** Extensions of the API: what the domain of a sender publishes (docs/api.md, "Sending"). */
export const preflightEndpoints = endpoints('Sending', {
  'GET /preflight': {
    access: 'signed_in',
    summary: 'Check what the DNS says of a sender: SPF, DKIM, DMARC and where bounces go',
    query: Type.Object({
      from_email: Filled({ maxLength: 320 }),
      /** The route of the messages; 0 is the system default route. */
      virtual_mta_id: withDefault(Type.Integer({ minimum: 0 }), 0),
      /** The address that bounces go to; without it, the sender. */
      return_path: Type.Optional(Filled({ maxLength: 320 }))
    }),
    answer: envelope(Type.Array(PreflightFinding))
  },

  'GET /dkim_keys/:id/record': {
    access: 'signed_in',
    summary: 'Check whether the DNS publishes a DKIM key',
    params: IdParams,
    answer: envelope(PreflightFinding)
  }
})

/** Extensions of the API (docs/api.md, "Sending"). */
export const smtpEndpoints = endpoints('Sending', {
  'POST /smtp_servers/:id/test': {
    access: 'organization_admin',
    summary: 'Send a test message through an SMTP server',
    params: IdParams,
    body: wrapped(
      'test',
      Type.Object({
        recipient: Filled({ maxLength: 320 }),
        /** Default: the recipient. */
        from_email: Type.Optional(Filled({ maxLength: 320 })),
        subject: withDefault(Filled({ maxLength: 255 }), 'Listwright test'),
        text: withDefault(Filled({ maxLength: 10_000 }), 'This SMTP server works.')
      })
    ),
    answer: envelope(SmtpTest)
  },

  'POST /campaigns/:id/journal/resend_uncertain': {
    access: 'campaign.send',
    summary: 'Send the messages again whose delivery is uncertain; their recipients may get them twice',
    params: IdParams,
    answer: envelope(Type.Object({ messages: Type.Integer() }))
  }
})

export const autoresponderPreviewEndpoints = endpoints('Autoresponders', {
  'POST /autoresponders/:id/send_preview': {
    ...previewing,
    access: 'autoresponder.update',
    summary: 'Send the content of an autoresponder to some addresses'
  }
})

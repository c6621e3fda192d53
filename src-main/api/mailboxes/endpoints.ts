import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { Mailbox, MailboxChanges, MailboxInput } from './schema.ts'

/** Extensions of the API (docs/api.md, "Receiving"). */
export const mailboxEndpoints = endpoints('Receiving', {
  'GET /mailboxes': {
    access: 'signed_in',
    summary: 'List the mailboxes that bounces and unsubscribes are read from',
    answer: envelope(Type.Array(Mailbox))
  },

  'GET /mailboxes/:id': {
    access: 'signed_in',
    summary: 'Read a mailbox',
    params: IdParams,
    answer: envelope(Mailbox)
  },

  'POST /mailboxes': {
    access: 'organization_admin',
    summary: 'Add a mailbox: by IMAP or POP3, or a Maildir',
    body: wrapped('mailbox', MailboxInput),
    answer: envelope(Mailbox)
  },

  'PUT /mailboxes/:id': {
    access: 'organization_admin',
    summary: 'Change a mailbox',
    params: IdParams,
    body: wrapped('mailbox', MailboxChanges),
    answer: envelope(Mailbox)
  },

  'DELETE /mailboxes/:id': {
    access: 'organization_admin',
    summary: 'Remove a mailbox; nothing on its server changes',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})

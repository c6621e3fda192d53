import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { mailboxEndpoints } from './endpoints.ts'
import { mailboxById, mailboxesOf, presentMailbox } from './queries.ts'

export const mailboxRoutes = serveEndpoints(mailboxEndpoints, ({ reader, writer, credentials }) => ({
  'GET /mailboxes': async ({ caller: { organizationId, timeZone } }) =>
    ok((await mailboxesOf(reader, organizationId)).map((row) => presentMailbox(row, timeZone))),

  'GET /mailboxes/:id': async ({ caller: { organizationId, timeZone }, params: { id } }) =>
    ok(presentMailbox(await mailboxById(reader, organizationId, id), timeZone)),

  'POST /mailboxes': async ({ caller: { organizationId, timeZone }, body }) => {
    const { secret, ...settings } = body.mailbox
    const row = await writer.run('mailboxes.create', { organizationId, settings })
    if (!secret) return ok(presentMailbox(row, timeZone))
    const credentialPlace = await credentials.write(`imap-${row.id}`, secret)
    const named = { organizationId, id: row.id }
    const stored = await writer.run('mailboxes.update', { ...named, changes: {}, credentialPlace })
    return ok(presentMailbox(stored, timeZone))
  },

  'PUT /mailboxes/:id': async ({ caller: { organizationId, timeZone }, params: { id }, body }) => {
    const { secret, ...changes } = body.mailbox
    const named = { organizationId, id }
    // The secret is stored once the settings are accepted, so that it never goes to a server that it was not entered for.
    const row = await writer.run('mailboxes.update', { ...named, changes })
    if (!secret) {
      if (row.credential_place === null) await credentials.remove(`imap-${id}`)
      return ok(presentMailbox(row, timeZone))
    }
    const credentialPlace = await credentials.write(`imap-${id}`, secret)
    const stored = await writer.run('mailboxes.update', { ...named, changes: {}, credentialPlace })
    return ok(presentMailbox(stored, timeZone))
  },

  'DELETE /mailboxes/:id': async ({ caller: { organizationId }, params: { id } }) => {
    await writer.run('mailboxes.delete', { organizationId, id })
    await credentials.remove(`imap-${id}`)
    return ok(null)
  }
}))

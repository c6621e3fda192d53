import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { storeSecretOf } from '../../base/credentials.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { mailboxEndpoints } from './endpoints.ts'
import { mailboxById, mailboxesOf, presentMailbox } from './queries.ts'

export const mailboxRoutes = serveEndpoints(mailboxEndpoints, ({ reader, writer, credentials }) => ({
  'GET /mailboxes': async ({ caller: { organizationId, timeZone } }) =>
    ok((await mailboxesOf(reader, organizationId)).map((row) => presentMailbox(row, timeZone))),

  'GET /mailboxes/:id': async ({ caller: { organizationId, timeZone }, params: { id } }) =>
    ok(presentMailbox(await mailboxById(reader, organizationId, id), timeZone)),

  'POST /mailboxes': async ({ caller, body }) => {
    const { organizationId, timeZone } = caller
    const { secret, ...settings } = body.mailbox
    if (settings.protocol === 'maildir') requireSystemAdmin(caller)
    const row = await writer.run('mailboxes.create', { organizationId, settings })
    const named = { organizationId, id: row.id }
    const stored = await storeSecretOf(credentials, `imap-${row.id}`, row, secret, (credentialPlace) =>
      writer.run('mailboxes.update', { ...named, changes: {}, credentialPlace })
    )
    return ok(presentMailbox(stored, timeZone))
  },

  'PUT /mailboxes/:id': async ({ caller, params: { id }, body }) => {
    const { organizationId, timeZone } = caller
    const { secret, ...changes } = body.mailbox
    const named = { organizationId, id }
    const { protocol } = { ...(await mailboxById(reader, organizationId, id)), ...changes }
    if (protocol === 'maildir') requireSystemAdmin(caller)
    const row = await writer.run('mailboxes.update', { ...named, changes })
    const stored = await storeSecretOf(credentials, `imap-${id}`, row, secret, (credentialPlace) =>
      writer.run('mailboxes.update', { ...named, changes: {}, credentialPlace })
    )
    return ok(presentMailbox(stored, timeZone))
  },

  'DELETE /mailboxes/:id': async ({ caller: { organizationId }, params: { id } }) => {
    await writer.run('mailboxes.delete', { organizationId, id })
    await credentials.remove(`imap-${id}`)
    return ok(null)
  }
}))

/** Other administrators must not read files of this computer. @throws ApiError validation_failed */
function requireSystemAdmin({ role }: { role: string }): void {
  if (role !== 'system_admin') throw validationFailed(refusal('maildir_by_admins', { field: 'protocol' }))
}

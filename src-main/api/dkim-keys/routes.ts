import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { dkimKeyEndpoints } from './endpoints.ts'
import { dkimKeysOf, presentDkimKey } from './queries.ts'
import { checkedSelector, createSigningKey, publicKeyOf, readPrivateKey, signingDomain } from './rules.ts'

export const dkimKeyRoutes = serveEndpoints(dkimKeyEndpoints, ({ reader, writer, credentials }) => ({
  'GET /dkim_keys': async ({ caller }) => {
    const rows = await dkimKeysOf(reader, caller.organizationId)
    return ok(rows.map((row) => presentDkimKey(row, caller.timeZone)))
  },

  'POST /dkim_keys': async ({ caller: { organizationId, timeZone }, body }) => {
    const { private_key: pem } = body.dkim_key
    const domain = signingDomain(body.dkim_key.domain)
    const selector = checkedSelector(body.dkim_key.selector)
    const key = pem === undefined ? await createSigningKey() : readPrivateKey(pem)
    const publicKey = publicKeyOf(key)
    const { id } = await writer.run('dkimKeys.create', { organizationId, domain, selector, publicKey })
    const secret = key.export({ type: 'pkcs8', format: 'pem' }).toString()
    try {
      const credentialPlace = await credentials.write(`dkim-${id}`, secret)
      const changes = { credentialPlace, is_enabled: true }
      const row = await writer.run('dkimKeys.update', { organizationId, id, changes })
      return ok(presentDkimKey(row, timeZone))
    } catch (error) {
      await writer.run('dkimKeys.delete', { organizationId, id })
      throw error
    }
  },

  'PUT /dkim_keys/:id': async ({ caller: { organizationId, timeZone }, params: { id }, body }) => {
    const row = await writer.run('dkimKeys.update', { organizationId, id, changes: body.dkim_key })
    return ok(presentDkimKey(row, timeZone))
  },

  'DELETE /dkim_keys/:id': async ({ caller: { organizationId }, params: { id } }) => {
    await writer.run('dkimKeys.delete', { organizationId, id })
    await credentials.remove(`dkim-${id}`)
    return ok(null)
  }
}))

import { urlDomainById } from '../../api/delivery-settings/queries.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { gateSecretOf } from '../../gates/keys.ts'
import { signingSecret } from '../../settings/queries.ts'
import { gateEndpoints } from './endpoints.ts'
import { testGate } from './test-gate.ts'

export const gateRoutes = serveEndpoints(gateEndpoints, ({ reader, credentials }) => ({
  'POST /url_domains/:id/test': async ({ caller: { organizationId }, params }) => {
    const {
      id,
      domain,
      address,
      credential_place: place
    } = await urlDomainById(reader, organizationId, params.id)
    if (address === null) throw validationFailed(refusal('no_gate', { name: domain }))
    const key = place && (await credentials.read(`gate-${id}`, place))
    if (key === null) throw validationFailed(refusal('gate_no_key', { address }))
    const secret = gateSecretOf(await signingSecret(reader), organizationId)
    return ok(await testGate(address, key, secret))
  }
}))

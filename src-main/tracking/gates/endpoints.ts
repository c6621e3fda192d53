import { GateTest } from '../../api/delivery-settings/schema.ts'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams } from '../../http/schema.ts'

/** Extensions of the API (docs/api.md, "Sending"). */
export const gateEndpoints = endpoints('Delivery settings', {
  'POST /url_domains/:id/test': {
    access: 'organization_admin',
    summary: 'Follow a link through a gate, and fetch what it recorded',
    params: IdParams,
    answer: envelope(GateTest)
  }
})

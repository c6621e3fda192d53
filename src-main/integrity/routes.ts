import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { type IntegrityAnswer, integrityEndpoints } from './endpoints.ts'
import type { Integrity } from './integrity.ts'

export const integrityRoutes = serveEndpoints(integrityEndpoints, ({ integrity }) => ({
  'GET /integrity': async () => ok(present(integrity)),

  'POST /integrity/accept': async () => {
    await integrity.accept()
    return ok(present(integrity))
  }
}))

function present({ state, faults }: Integrity): IntegrityAnswer {
  return { state, faults: [...faults] }
}

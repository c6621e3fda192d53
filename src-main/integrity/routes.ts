import { ok } from '../http/envelope.ts'
import { serve } from '../http/serve.ts'
import { type IntegrityAnswer, integrityEndpoints } from './endpoints.ts'
import type { Integrity } from './integrity.ts'

/** /app/v1/integrity: whether the database is what was written to it. */
export const integrityRoutes = serve(integrityEndpoints, ({ integrity }) => ({
  'GET /integrity': async () => ok(present(integrity)),

  'POST /integrity/accept': async () => {
    await integrity.accept()
    return ok(present(integrity))
  }
}))

function present({ state, faults }: Integrity): IntegrityAnswer {
  return { state, faults: [...faults] }
}

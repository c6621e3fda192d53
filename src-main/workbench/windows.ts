import { ok } from '../http/envelope.ts'
import { serve } from '../http/serve.ts'
import { windowEndpoints } from './endpoints/windows.ts'

/** /app/v1/windows: for programs that open a window of an application that runs already. */
export const windowRoutes = serve(windowEndpoints, ({ signIn }) => ({
  'POST /windows': async ({ caller, body, raw }) => {
    const baseUrl = `http://127.0.0.1:${raw.socket.localPort}`
    return ok({ address: signIn.addressFor(baseUrl, caller, body.page) })
  }
}))

import { sessionTokenOf } from '../../api/accounts/authentication.ts'
import { endsWithProcess, findKeyOfWindow } from '../../api/accounts/queries.ts'
import { ApiError } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { windowEndpoints } from './endpoints.ts'

/** /app/v1/windows: for programs that open a window of an application that runs already. */
export const windowRoutes = serveEndpoints(windowEndpoints, ({ reader, signIn }) => ({
  'POST /windows': async (request) => {
    const { caller, body, raw } = request
    const baseUrl = `http://127.0.0.1:${raw.socket.localPort}`
    const { organizationId, userId } = caller
    const session = sessionTokenOf(request)
    // A window opened by another window ends with the same API key.
    const apiKeyId = session ? await findKeyOfWindow(reader, session) : caller.apiKeyId
    const outlivesKey = body.outlives_key && apiKeyId !== null
    if (outlivesKey && !(await endsWithProcess(reader, apiKeyId))) {
      throw new ApiError('not_authorized', refusal('outlives_key', { field: 'outlives_key' }))
    }
    const grant = { organizationId, userId, apiKeyId: outlivesKey ? null : apiKeyId }
    return ok({ address: signIn.addressFor(baseUrl, grant, body.page) })
  }
}))

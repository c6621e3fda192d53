import { ApiError } from '../errors.ts'
import type { Caller } from './accounts/queries.ts'

/**
 * Routes over all organizations are for system administrators (spec, "Authentication").
 * @throws ApiError not_authorized, answered with 403
 */
export function requireSystemAdmin(caller: Caller): void {
  if (caller.role === 'system_admin') return
  throw Object.assign(new ApiError('not_authorized', 'only system administrators may do this'), {
    statusCode: 403
  })
}

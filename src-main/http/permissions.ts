import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError } from '../base/errors.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { type Access, hasAccess } from './access.ts'
import type { Caller } from './caller.ts'

/**
 * Refuses a caller who may not use the route that was called (docs/api.md, "Who may call").
 * @throws ApiError not_authorized, answered with 403
 */
export function authorize({ caller, routeOptions }: FastifyRequest): void {
  requireAccess(caller, routeOptions.config.access)
}

/**
 * Checks access beyond that of the route.
 * @throws ApiError not_authorized, answered with 403
 */
export function requireAccess(caller: Caller, access: Access | undefined): void {
  if (hasAccess(caller, access)) return
  throw new ApiError('not_authorized', accessRefusal(caller, access))
}

function accessRefusal({ userId }: Caller, access: Access | undefined): Refusal {
  if (access === 'system_admin') return refusal('system_admins_only')
  if (access === 'organization_admin') return refusal('admins_only')
  return refusal('permission', { permissions: [access].flat().join(' or '), user: userId })
}

/** Words who may use a route, for the API reference; undefined = anyone with a key. */
export function whoMayUse(access: Access | undefined): string | undefined {
  switch (access) {
    case undefined:
    case 'public':
    case 'message_link':
    case 'signed_in':
      return undefined
    case 'system_admin':
      return 'For system administrators.'
    case 'organization_admin':
      return 'For administrators.'
    default:
      return `Standard users need the permission ${[access].flat().join(' or ')}.`
  }
}

/** Prevents the server from starting with a route that does not declare who may use it. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes) {
      if (!config?.access) throw new Error(`${String(method)} ${url} does not declare who may use it`)
    }
  })
}

import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError } from '../base/errors.ts'
import type { Caller, Permission, PermissionKey } from './caller.ts'

/**
 * Who may use a route: anyone at all, whoever has the link of a message (on any web page), anyone who is signed in, a kind
 * of administrator, or who has a permission.
 */
export type Access =
  'public' | 'message_link' | 'signed_in' | 'organization_admin' | 'system_admin' | Permission | AnyOf

/** Permissions of which one will do. */
type AnyOf = readonly [Permission, Permission, ...Permission[]]

/**
 * Refuses a caller who may not use the route that was called (docs/api.md, "Who may call").
 * @throws ApiError not_authorized, answered with 403
 */
export function authorize({ caller, routeOptions }: FastifyRequest): void {
  requireAccess(caller, routeOptions.config.access)
}

/**
 * For what a request asks for beside its route.
 * @throws ApiError not_authorized, answered with 403
 */
export function requireAccess(caller: Caller, access: Access | undefined): void {
  if (hasAccess(caller, access)) return
  if (access === 'system_admin') refuse('only system administrators may do this')
  if (access === 'organization_admin') refuse('only administrators may do this')
  const permissions = [access].flat().join(' or ')
  refuse(`this needs the permission ${permissions}, which user ${caller.userId} does not have`)
}

/** Whether a caller may use what has this access. */
export function hasAccess(caller: Caller, access: Access | undefined): boolean {
  switch (access) {
    case 'public':
    case 'message_link':
    case 'signed_in':
    case undefined:
      return true
    case 'system_admin':
      return caller.role === 'system_admin'
    case 'organization_admin':
      return caller.role !== 'standard'
    default: {
      const permissions: Permission[] = typeof access === 'string' ? [access] : [...access]
      return permissions.some((each) => hasPermission(caller, each))
    }
  }
}

/** Whether a caller may do something: administrators may do everything. */
export function hasPermission(caller: Caller, permission: Permission): boolean {
  if (caller.role !== 'standard') return true
  const [key, action] = permission.split('.') as [PermissionKey, string]
  return caller.permissions[key]?.includes(action) ?? false
}

function refuse(message: string): never {
  throw new ApiError('not_authorized', message)
}

/** Who may use a route, as a sentence of the API reference; undefined = whoever has a key. */
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

/** Keeps a server from starting that has a route which does not say who may use it. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes) {
      if (!config?.access) throw new Error(`${String(method)} ${url} does not declare who may use it`)
    }
  })
}

import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Normalizes the address of a remote: without a path. It must be https except on this computer, since the key
 * is sent to it.
 * @throws ApiError validation_failed
 */
export function remoteAddress(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw validationFailed(refusal('address', { field: 'base_url' }))
  }
  if (url.username || url.password) {
    throw validationFailed(refusal('address_with_password', { field: 'base_url' }))
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    throw validationFailed(refusal('address_without_https', { field: 'base_url' }))
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/ga\/api(?:\/v2)?$/, '')
  if (path !== '' || url.search || url.hash) {
    throw validationFailed(refusal('address_with_path', { field: 'base_url' }))
  }
  return url.origin
}

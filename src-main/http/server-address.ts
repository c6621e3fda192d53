import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Normalizes the address of a server that a key is sent to: without a path. It must be https except on this computer.
 * @param field the name of the address in the request
 * @param dropped a path that may stand at its end
 * @throws ApiError validation_failed
 */
export function serverAddress(text: string, field: string, dropped?: RegExp): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw validationFailed(refusal('address', { field }))
  }
  if (url.username || url.password) {
    throw validationFailed(refusal('address_with_password', { field }))
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    throw validationFailed(refusal('address_without_https', { field }))
  }
  const path = url.pathname.replace(/\/+$/, '')
  if ((dropped ? path.replace(dropped, '') : path) !== '' || url.search || url.hash) {
    throw validationFailed(refusal('address_with_path', { field }))
  }
  return url.origin
}

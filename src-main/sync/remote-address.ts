import { validationFailed } from '../base/errors.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * The address of a remote as it is kept: without a path, as people copy it with one. The key is sent there, so it is
 * https, but for servers on this computer.
 * @throws ApiError validation_failed
 */
export function remoteAddress(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw validationFailed('base_url must be an address such as https://api.example.com')
  }
  if (url.username || url.password) {
    throw validationFailed('base_url must not contain a name or password: the key has its own field')
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    throw validationFailed('base_url must begin with https://, so that nobody can intercept the key')
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/ga\/api(?:\/v2)?$/, '')
  if (path !== '' || url.search || url.hash) {
    throw validationFailed('base_url must be only the address of the server, such as https://api.example.com')
  }
  return url.origin
}

import type { FastifyRequest } from 'fastify'

/** Scripts and connections come from this server only; styles may stand in the page, as Vue writes them. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** Headers of every page: of the window and of the API reference. */
export const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache'
}

/** True if the request accepts HTML, as a browser's navigation does; API clients do not. */
export function asksForPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html')
}

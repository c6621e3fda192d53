import { rootCertificates } from 'node:tls'
import type { DatabaseTarget } from './remote-database.ts'

/** Returns how TLS to a database is set up: the certificate is verified unless the target says otherwise. */
export function tlsOf({ tls, authorities }: DatabaseTarget): {
  rejectUnauthorized: boolean
  ca?: string[]
} {
  return {
    rejectUnauthorized: tls === 'verified',
    ...(authorities !== '' && { ca: [...rootCertificates, authorities] })
  }
}

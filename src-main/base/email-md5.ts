import { createHash } from 'node:crypto'

/** The MD5 sum of an address in lower case, as suppression lists name people (docs/api.md, "Suppression lists"). */
export function emailMd5(email: string): string {
  return createHash('md5').update(email.trim().toLowerCase()).digest('hex')
}

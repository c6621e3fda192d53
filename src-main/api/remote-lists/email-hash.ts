import { createHash } from 'node:crypto'
import { emailKey } from '../subscribers/rules.ts'

/** Returns 48 bits of a hash of an address; letter case does not count. */
export function emailHashOf(email: string): number {
  return createHash('md5').update(emailKey(email)).digest().readUIntBE(0, 6)
}

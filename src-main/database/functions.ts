import type { Database } from 'better-sqlite3'
import { emailMd5 } from '../base/email-md5.ts'
import { foldText } from '../base/fold.ts'

/** Registers the functions fold(text) and email_md5(email) on a connection. */
export function addFunctions(database: Database): void {
  database.function('fold', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? foldText(text) : null
  )
  database.function('email_md5', { deterministic: true }, (email: unknown) => emailMd5(String(email)))
}

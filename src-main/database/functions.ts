import type { Database } from 'better-sqlite3'
import { emailMd5 } from '../base/email-md5.ts'
import { fold } from '../base/fold.ts'

/** What SQLite cannot compute by itself, for the queries of a connection: fold(text) and email_md5(email). */
export function addFunctions(database: Database): void {
  database.function('fold', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? fold(text) : null
  )
  database.function('email_md5', { deterministic: true }, (email: unknown) => emailMd5(String(email)))
}

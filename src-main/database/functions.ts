import type { Database } from 'better-sqlite3'
import { emailMd5 } from '../base/email-md5.ts'
import { foldText } from '../base/fold.ts'

/** Most folded texts that a connection keeps: cities and names repeat, and folding one takes ten times as long as looking it up. */
const maxKept = 20_000
const maxKeptLength = 60

function keptFolding(): (text: string) => string {
  const kept = new Map<string, string>()
  return (text) => {
    if (text.length > maxKeptLength) return foldText(text)
    const known = kept.get(text)
    if (known !== undefined) return known
    const folded = foldText(text)
    if (kept.size >= maxKept) kept.clear()
    kept.set(text, folded)
    return folded
  }
}

/** Registers the functions fold(text) and email_md5(email) on a connection. */
export function addFunctions(database: Database): void {
  const fold = keptFolding()
  database.function('fold', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? fold(text) : null
  )
  database.function('email_md5', { deterministic: true }, (email: unknown) => emailMd5(String(email)))
}

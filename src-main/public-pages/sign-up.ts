import { honeypot } from './controls.ts'

/** What a visitor posted on a sign-up page. */
export interface SignUp {
  email: string
  /** Field id -> what was entered: texts of several boxes. */
  values: Record<string, string[]>
  consents: boolean
}

/** Longest text of one field, in characters, and most fields. */
const [maxLength, mostValues] = [10_000, 200]

/** Reads what a sign-up page posts. @returns null if a program filled in the field that people do not see */
export function readSignUp(body: unknown): SignUp | null {
  const signUp: SignUp = { email: '', values: {}, consents: false }
  const entries = typeof body === 'string' ? [...new URLSearchParams(body)].slice(0, mostValues) : []
  for (const [name, value] of entries) {
    const id = /^field_([1-9]\d{0,14})$/.exec(name)?.[1]
    const text = value.slice(0, maxLength)
    if (name === honeypot && text !== '') return null
    if (name === 'email') signUp.email = text.trim()
    else if (name === 'consent') signUp.consents = text === '1'
    else if (id !== undefined && text.trim() !== '') (signUp.values[id] ??= []).push(text)
  }
  return signUp
}

/** What a sign-up page asks for at least, checked where no list is known. */
export interface SignUpRules {
  /** Ids of fields. */
  required: number[]
  asksForConsent: boolean
}

/** True if all is there that a page asks for. */
export function isComplete(
  { email, values, consents }: SignUp,
  { required, asksForConsent }: SignUpRules
): boolean {
  const isAddress = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && email.length <= 513
  return isAddress && (consents || !asksForConsent) && required.every((id) => values[id] !== undefined)
}

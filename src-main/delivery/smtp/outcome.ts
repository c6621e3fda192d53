/** What became of an attempt to hand a message to a server. */
export type SmtpOutcome =
  /** The server has taken the message over. */
  | { is: 'accepted'; reply: string }
  /** Refused for now (4xx), for a reason of the recipient or the message; without a code the server ended the connection instead, repeatedly. */
  | { is: 'deferred'; code: number | null; reply: string }
  /** Refused for good (5xx), for a reason of the recipient or the message. */
  | { is: 'refused'; code: number; reply: string }
  /** The connection was lost after the final dot, and before the reply. */
  | { is: 'uncertain'; reply: string }
  /** The server cannot have the message: it is as if there had been no attempt. */
  | { is: 'unsent'; fault: ServerFault | null }

/** Why a server takes no messages at all, or none of this sender. */
export interface ServerFault {
  kind: 'unreachable' | 'busy' | 'sign_in' | 'protection' | 'sender'
  /** The words of the server or the system. */
  words: string
}

/** An error of nodemailer's connection. */
export interface SmtpError extends Error {
  code?: string | undefined
  command?: string | undefined
  /** The reply of the server, if there is one. */
  response?: string | undefined
  responseCode?: number | undefined
}

/** Returns what an error means for the message under way. @param isHandedOver true once the final dot may have left */
export function outcomeOfError(error: SmtpError, isHandedOver: boolean): SmtpOutcome {
  const { responseCode: code = 0, command } = error
  const reply = wordsOf(error)
  const isRefusal = code >= 400 && code < 600
  if (isHandedOver) {
    if (!isRefusal) return { is: 'uncertain', reply }
    return code < 500 ? { is: 'deferred', code, reply } : { is: 'refused', code, reply }
  }
  // A reply to MAIL FROM is about the sender or the server: the next recipient would get the same.
  // nodemailer names no command for a 421 that comes after MAIL FROM was accepted.
  const isOfMessage = command === 'RCPT TO' || command === 'DATA' || (code === 421 && command === 'CONN')
  // 552 is about the size of the message, wherever it comes.
  if (isRefusal && code !== 530 && (isOfMessage || code === 552)) {
    return code < 500 ? { is: 'deferred', code, reply } : { is: 'refused', code, reply }
  }
  if (isInvalidAddress(error)) return { is: 'refused', code: 553, reply }
  // nodemailer compares the message with the size that the server announced.
  if (error.code === 'EMESSAGE' && !error.response) return { is: 'refused', code: 552, reply }
  return { is: 'unsent', fault: faultOfError(error) }
}

/** Returns why a connection could not be made or used. */
export function faultOfError(error: SmtpError): ServerFault {
  const { code, responseCode = 0, command } = error
  const words = wordsOf(error)
  if (code === 'EAUTH' || code === 'ENOAUTH' || responseCode === 530 || responseCode === 535) {
    // A temporary failure of a sign-in says nothing about the password.
    return { kind: responseCode >= 400 && responseCode < 500 ? 'busy' : 'sign_in', words }
  }
  if (code === 'EENVELOPE' && command === 'API') return { kind: 'sender', words }
  if (code === 'ETLS') return { kind: 'protection', words }
  if (responseCode >= 500 && command === 'MAIL FROM') return { kind: 'sender', words }
  return { kind: responseCode >= 400 ? 'busy' : 'unreachable', words }
}

/** nodemailer refuses addresses that no command can hold before it sends anything. */
function isInvalidAddress({ code, command, message }: SmtpError): boolean {
  return code === 'EENVELOPE' && command === 'API' && message.startsWith('Invalid recipient')
}

function wordsOf({ response, message }: SmtpError): string {
  return (response ?? message).replaceAll(/\s+/g, ' ').trim().slice(0, 500)
}

/** Returns the class of an enhanced status code (RFC 3463) in a reply, such as "4.7.1"; null without one. */
export function enhancedCodeOf(reply: string): string | null {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1] ?? null
}

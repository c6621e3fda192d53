import type { SmtpServerRow } from '../../api/smtp-servers/queries.ts'
import type { SmtpTest } from '../endpoints.ts'
import { headerLine, messageIdLine, dateLine } from '../mime/headers.ts'
import { type DkimSigner, signMessage } from '../mime/dkim.ts'
import { writeMessage } from '../mime/write-message.ts'
import { type SmtpLine, SmtpSession, SmtpUnavailable } from './smtp-session.ts'

export interface TestMessage {
  from: string
  to: string
  /** The texts of the message, in the language of who asked for it. */
  subject: string
  text: string
  /** null = it stays unsigned. */
  signer: DkimSigner | null
}

/** Sends a message through a server, and records the conversation. Never rejects because of the server. */
export async function sendTest(
  { id, name, host, port, security, authentication, username }: SmtpServerRow,
  secret: string | null,
  { from, to, subject, text, signer }: TestMessage
): Promise<SmtpTest> {
  const conversation: SmtpLine[] = []
  const server = { id, name, host, port, security, authentication, username }
  try {
    const session = await SmtpSession.open(server, secret, {
      log: (line) => void conversation.push(line),
      patience: 60_000
    })
    const headers = [
      headerLine('From', { name: '', address: from }),
      headerLine('To', { name: '', address: to }),
      headerLine('Subject', subject),
      messageIdLine(from.slice(from.lastIndexOf('@') + 1)),
      dateLine(Date.now()),
      'MIME-Version: 1.0\r\n'
    ].join('')
    const body = { kind: 'text', subtype: 'plain', encoding: 'quoted-printable', text } as const
    const unsigned = writeMessage(headers, body)
    const content = signer ? await signMessage(unsigned, signer, Date.now()) : unsigned
    const outcome = await session.send({ from, to }, content, () => undefined)
    session.quit()
    const reply = outcome.is === 'unsent' ? (outcome.fault?.words ?? '') : outcome.reply
    return { is_accepted: outcome.is === 'accepted', reply, conversation }
  } catch (error) {
    if (!(error instanceof SmtpUnavailable)) throw error
    return { is_accepted: false, reply: error.fault.words, conversation }
  }
}

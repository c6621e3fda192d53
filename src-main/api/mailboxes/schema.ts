import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp, WindowFault, withDefault } from '../../http/schema.ts'
import { smtpSecurities } from '../smtp-servers/schema.ts'

/** How Listwright signs in: with a password, or with an OAuth 2 access token (XOAUTH2). */
export const mailboxAuthentications = ['password', 'xoauth2'] as const
export type MailboxAuthentication = (typeof mailboxAuthentications)[number]

/** How a mailbox is read; a Maildir is a folder on this computer. */
export const mailboxProtocols = ['imap', 'pop3', 'maildir'] as const
export type MailboxProtocol = (typeof mailboxProtocols)[number]

const settings = () => ({
  protocol: Type.Enum([...mailboxProtocols]),
  name: Filled({ maxLength: 255 }),
  /** '' of a Maildir. */
  host: Type.String({ maxLength: 253 }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: Type.Enum([...smtpSecurities]),
  authentication: Type.Enum([...mailboxAuthentications]),
  /** '' of a Maildir. */
  username: Type.String({ maxLength: 320 }),
  /** The folder of an IMAP server, or the path of a Maildir. A POP3 server has one only. */
  folder: Filled({ maxLength: 1000 }),
  /** True = bounces, complaints and unsubscribes are deleted on the server once they are stored here. */
  deletes_reports: Type.Boolean(),
  is_enabled: Type.Boolean()
})

/** The password or token; it is stored where only this computer's user can read it, and never answered. */
const Secret = Type.String({ maxLength: 10_000 })

const given = settings()

export const MailboxInput = Type.Object({
  ...given,
  protocol: withDefault(given.protocol, 'imap'),
  host: withDefault(given.host, ''),
  username: withDefault(given.username, ''),
  /** Left out: the usual one of the protocol. */
  port: Type.Optional(given.port),
  security: withDefault(given.security, 'tls'),
  authentication: withDefault(given.authentication, 'password'),
  folder: withDefault(given.folder, 'INBOX'),
  deletes_reports: withDefault(given.deletes_reports, false),
  is_enabled: withDefault(given.is_enabled, true),
  secret: Type.Optional(Secret)
})
export type MailboxInput = Static<typeof MailboxInput>

export const MailboxChanges = Type.Partial(Type.Object({ ...settings(), secret: Secret }))
export type MailboxChanges = Static<typeof MailboxChanges>

export const Mailbox = Type.Object({
  id: Type.Integer(),
  ...settings(),
  /** True if a password or token is stored. */
  has_secret: Type.Boolean(),
  /** When it was last read to its end; null = never. */
  checked_at: Nullable(Timestamp),
  /** Why it could not be read the last time; null = it could. */
  error_message: Nullable(Type.String()),
  fault: WindowFault,
  created_at: Timestamp,
  updated_at: Timestamp
})
export type Mailbox = Static<typeof Mailbox>

export const MailboxTest = Type.Object({
  is_open: Type.Boolean(),
  /** Messages in the folder; null if it could not be opened. */
  messages: Nullable(Type.Integer()),
  /** The words of the server or the system, if it could not be opened. */
  words: Type.String()
})
export type MailboxTest = Static<typeof MailboxTest>

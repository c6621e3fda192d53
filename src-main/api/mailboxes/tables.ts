import type { ColumnType, Generated } from 'kysely'
import type { CredentialPlace } from '../../base/credential-places.ts'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { Fixed, Flag, Time } from '../../database/schema.ts'
import type { SmtpSecurity } from '../smtp-servers/schema.ts'
import type { MailboxAuthentication, MailboxProtocol } from './schema.ts'

/** A mailbox that bounces and unsubscribes are read from. Its password or token is kept elsewhere (base/credentials.ts). */
export interface MailboxesTable {
  id: Generated<number>
  organization_id: Fixed<number>
  name: string
  name_key: string
  protocol: MailboxProtocol
  /** '' of a Maildir, as is the name of the user. */
  host: string
  port: number
  security: SmtpSecurity
  authentication: MailboxAuthentication
  username: string
  /** null = it has none. */
  credential_place: ColumnType<
    CredentialPlace | null,
    CredentialPlace | null | undefined,
    CredentialPlace | null
  >
  folder: string
  /** 1 = reports about messages that were sent from here are deleted on the server, once they are stored here. */
  deletes_reports: Flag
  is_enabled: Flag
  /** The UIDVALIDITY of the folder when it was read last; null = never. */
  uid_validity: ColumnType<string | null, undefined, string | null>
  /** The last message that was read; of a Maildir when it changed, in UNIX milliseconds. */
  last_uid: ColumnType<number, undefined, number>
  /** When reading it began the last time; 0 = never. */
  begun_at: ColumnType<Time, undefined, Time>
  /** When it was last read to its end; null = never. */
  checked_at: ColumnType<Time | null, undefined, Time | null>
  /** When it is read next. */
  next_at: ColumnType<Time, undefined, Time>
  /** Why it could not be read the last time. */
  fault: ColumnType<StoredRefusal | null, undefined, StoredRefusal | null>
  created_at: Fixed<Time>
  updated_at: Time
}

/** The messages of a POP3 server that were read. */
export interface MailboxUidsTable {
  mailbox_id: number
  uid: string
}

declare module '../../database/schema.ts' {
  interface Schema {
    mailboxes: MailboxesTable
    mailbox_uids: MailboxUidsTable
  }
  interface ChangedEntities {
    mailbox: unknown
  }
}

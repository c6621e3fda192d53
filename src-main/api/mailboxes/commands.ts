import { isAbsolute } from 'node:path'
import type { CredentialPlace } from '../../base/credential-places.ts'
import { secretColumn } from '../../base/credentials.ts'
import { Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, recordRow } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { namesOf, requireFreeName } from '../../http/names.ts'
import { checkedHost } from '../smtp-servers/rules.ts'
import { mailboxById, type MailboxRow, mailboxesOf } from './queries.ts'
import type { MailboxInput } from './schema.ts'

/** A mailbox's settings as they are checked and stored. */
export type MailboxSettings = Omit<MailboxInput, 'secret'>

// How far it was read is no edit, and comes with each report.
const mailboxTables: RecordTables = { entity: 'mailbox', table: 'mailboxes', parts: [] }

/** @throws ApiError validation_failed naming each field that cannot work */
const createMailbox: Command<{ organizationId: number; settings: MailboxSettings }, MailboxRow> = async (
  context,
  { organizationId, settings }
) => {
  requireFreeName(await mailboxesOf(context.db, organizationId), settings.name, null, 'mailbox')
  const row = await context.db
    .insertInto('mailboxes')
    .values({
      organization_id: organizationId,
      ...columnsOf(settings),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'mailbox', 'create', row)
  return row
}

interface Named {
  organizationId: number
  id: number
}

interface Update extends Named {
  changes: Partial<MailboxSettings>
  /** Where its new secret is stored; left out, the secret stays the same. */
  credentialPlace?: CredentialPlace | undefined
}

/** Changes a mailbox, which is then read at once. @throws ApiError as {@link createMailbox} */
const updateMailbox: Command<Update, MailboxRow> = async (
  context,
  { organizationId, id, changes, credentialPlace }
) => {
  const before = await mailboxById(context.db, organizationId, id)
  const settings = { ...settingsOf(before), ...changes }
  requireFreeName(await mailboxesOf(context.db, organizationId), settings.name, id, 'mailbox')
  const columns = columnsOf(settings)
  // UIDs belong to one folder of one server.
  const isElsewhere = columns.host !== before.host
  const isOther =
    isElsewhere ||
    columns.protocol !== before.protocol ||
    columns.username !== before.username ||
    columns.folder !== before.folder
  if (isOther) await context.db.deleteFrom('mailbox_uids').where('mailbox_id', '=', id).execute()
  return recordEdit(context, mailboxTables, { organizationId }, id, () =>
    context.db
      .updateTable('mailboxes')
      .set({
        ...columns,
        ...secretColumn(isElsewhere, credentialPlace),
        ...(isOther && { uid_validity: null, last_uid: 0, checked_at: null }),
        next_at: 0,
        fault: null,
        updated_at: context.now
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

const deleteMailbox: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await mailboxById(context.db, organizationId, id)
  await recordDeletion(context, mailboxTables, { organizationId }, row, () =>
    context.db.deleteFrom('mailboxes').where('id', '=', id).execute()
  )
}

function columnsOf({
  name,
  host,
  username,
  folder,
  deletes_reports,
  is_enabled,
  port,
  ...settings
}: MailboxSettings) {
  const { protocol, security } = settings
  const faults = new Faults()
  const isFolder = protocol === 'maildir'
  const checked = isFolder ? '' : checkedHost(host, security, faults)
  if (!isFolder && username.trim() === '') faults.add(refusal('blank', { field: 'username' }))
  if (isFolder && !isAbsolute(folder.trim())) faults.add(refusal('maildir_path', { field: 'folder' }))
  faults.throwIfAny()
  return {
    ...settings,
    ...namesOf(name.trim()),
    port: port ?? usualPorts[protocol][security === 'tls' ? 0 : 1],
    host: checked,
    username: username.trim(),
    folder: folder.trim(),
    deletes_reports: Number(deletes_reports),
    is_enabled: Number(is_enabled)
  }
}

/** With TLS from the beginning, and without. */
const usualPorts = { imap: [993, 143], pop3: [995, 110], maildir: [1, 1] } as const

function settingsOf(row: MailboxRow): MailboxSettings {
  const { name, protocol, host, port, security, authentication, username, folder } = row
  return {
    ...{ name, protocol, host, port, security, authentication, username, folder },
    deletes_reports: row.deletes_reports === 1,
    is_enabled: row.is_enabled === 1
  }
}

export const mailboxCommands = { create: createMailbox, update: updateMailbox, delete: deleteMailbox }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    mailboxes: typeof mailboxCommands
  }
}

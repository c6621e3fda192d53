import type { CredentialPlace } from '../../base/credential-places.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { dkimKeyById, type DkimKeyRow, dkimKeysOf } from './queries.ts'

const dkimKeyTables: RecordTables = { entity: 'dkim_key', table: 'dkim_keys', parts: [] }

interface Create {
  organizationId: number
  domain: string
  selector: string
  publicKey: string
}

/** @throws ApiError validation_failed if the domain has a key with this selector */
const createDkimKey: Command<Create, DkimKeyRow> = async (
  { db, now, ...context },
  { organizationId, domain, selector, publicKey }
) => {
  const others = await dkimKeysOf(db, organizationId)
  if (others.some((other) => other.domain === domain && other.selector === selector)) {
    throw validationFailed(refusal('there_already', { field: 'selector', value: `${selector}, ${domain}` }))
  }
  const row = await db
    .insertInto('dkim_keys')
    .values({
      organization_id: organizationId,
      ...{ domain, selector },
      public_key: publicKey,
      // Once its private half is stored.
      is_enabled: 0,
      credential_place: null,
      created_at: now,
      updated_at: now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordOne({ db, now, ...context }, 'dkim_key', 'create', { organizationId }, row.id, { name: domain })
  return row
}

interface Named {
  organizationId: number
  id: number
}

interface Update extends Named {
  changes: { is_enabled?: boolean; credentialPlace?: CredentialPlace }
}

const updateDkimKey: Command<Update, DkimKeyRow> = async (context, { organizationId, id, changes }) => {
  await dkimKeyById(context.db, organizationId, id)
  const { is_enabled, credentialPlace } = changes
  return recordEdit(context, dkimKeyTables, { organizationId }, id, () =>
    context.db
      .updateTable('dkim_keys')
      .set({
        ...(is_enabled !== undefined && { is_enabled: Number(is_enabled) }),
        ...(credentialPlace && { credential_place: credentialPlace }),
        updated_at: context.now
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

const deleteDkimKey: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await dkimKeyById(context.db, organizationId, id)
  await recordDeletion(context, dkimKeyTables, { organizationId }, { ...row, name: row.domain }, () =>
    context.db.deleteFrom('dkim_keys').where('id', '=', id).execute()
  )
}

export const dkimKeyCommands = {
  create: createDkimKey,
  update: updateDkimKey,
  delete: deleteDkimKey
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    dkimKeys: typeof dkimKeyCommands
  }
}

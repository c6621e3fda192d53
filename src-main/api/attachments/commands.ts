import { createHash } from 'node:crypto'
import { detectMimeType } from 'nodemailer/lib/mime-funcs'
import { Faults, notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, inBackground } from '../../database/command.ts'
import { recordEdit } from '../../database/record-rows.ts'
import { messageTables } from '../campaigns/commands.ts'
import { campaignById, dispatchOf } from '../campaigns/queries.ts'
import { type AttachmentRow, attachmentsOf } from './queries.ts'
import { checkName, maxAttachmentBytes, maxAttachments, tooLarge } from './rules.ts'

interface Carrier {
  organizationId: number
  /** Of the campaign or template. */
  id: number
  kind: 'campaign' | 'template'
}

/**
 * Adds a file to the messages of a campaign or template.
 * @throws ApiError validation_failed for a file that recipients would not get, or once sending has begun
 */
const addAttachment: Command<Carrier & { name: string; bytes: Uint8Array }, AttachmentRow> = async (
  context,
  { name, bytes, ...carrier }
) => {
  const before = await attachmentsOf(context.db, carrier.id)
  const faults = new Faults()
  checkName(name, faults)
  if (before.some((each) => each.name.toLowerCase() === name.toLowerCase())) {
    faults.add(refusal('attachment_name_taken', { name }))
  }
  if (before.length >= maxAttachments) {
    faults.add(refusal('attachments_too_many', { most: maxAttachments }))
  }
  const size = before.reduce((sum, each) => sum + each.size, bytes.length)
  if (size > maxAttachmentBytes) {
    faults.add(tooLarge(name, size))
  }
  return change(context, carrier, async () => {
    faults.throwIfAny()
    const row = await context.db
      .insertInto('attachments')
      .values({
        campaign_id: carrier.id,
        name,
        media_type: mediaTypeOf(name),
        file_id: await storeFile(context, carrier.organizationId, Buffer.from(bytes)),
        created_at: context.now
      })
      .returning(['id', 'name', 'media_type', 'created_at'])
      .executeTakeFirstOrThrow()
    return { ...row, size: bytes.length }
  })
}

function mediaTypeOf(name: string): string {
  const type = detectMimeType(name)
  // A message must not be encoded in base64 (RFC 2046 section 5.2.1), and attachments are.
  return /^(?:message|multipart)\//.test(type) ? 'application/octet-stream' : type
}

async function storeFile({ db }: CommandContext, organizationId: number, bytes: Buffer): Promise<number> {
  const { id } = await db
    .insertInto('attachment_files')
    .values({
      organization_id: organizationId,
      digest: createHash('sha256').update(bytes).digest('hex'),
      size: bytes.length,
      bytes,
      unused_since: null
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'digest']).doUpdateSet({ unused_since: null })
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @throws ApiError not_found, or validation_failed once sending has begun */
const deleteAttachment: Command<Carrier & { attachmentId: number }, void> = (
  context,
  { attachmentId, ...carrier }
) =>
  change(context, carrier, async () => {
    const { numDeletedRows } = await context.db
      .deleteFrom('attachments')
      .where('campaign_id', '=', carrier.id)
      .where('id', '=', attachmentId)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('attachment', attachmentId)
  })

/** Changes what a campaign or template carries, and records the edit so that it can be undone. */
async function change<Result>(
  context: CommandContext,
  { organizationId, id, kind }: Carrier,
  edit: () => Promise<Result>
): Promise<Result> {
  const row = await campaignById(context.db, organizationId, id, kind)
  const { state = 'idle' } = (await dispatchOf(context.db, id)) ?? {}
  if (state !== 'idle' && state !== 'scheduled') {
    throw validationFailed(refusal('campaign_cannot_change', { state }))
  }
  const owner = { organizationId, mailingListId: row.mailing_list_id }
  return recordEdit(context, messageTables(kind), owner, id, async () => {
    const result = await edit()
    await context.db.updateTable('campaigns').set({ updated_at: context.now }).where('id', '=', id).execute()
    return result
  })
}

/** Files deleted at once: each may be large. */
const deletedAtOnce = 5

/**
 * Deletes some of the files that no campaign or template has carried since a time, in UNIX milliseconds.
 * @returns true if there may be more
 */
const deleteUnusedFiles = inBackground<{ before: number }, boolean>(async ({ db, now }, { before }) => {
  const carried = db.selectFrom('attachments').select('file_id')
  await db
    .updateTable('attachment_files')
    .set({ unused_since: now })
    .where('unused_since', 'is', null)
    .where('id', 'not in', carried)
    .execute()
  await db
    .updateTable('attachment_files')
    .set({ unused_since: null })
    .where('unused_since', 'is not', null)
    .where('id', 'in', carried)
    .execute()
  const unused = db
    .selectFrom('attachment_files')
    .select('id')
    .where('unused_since', '<', before)
    .orderBy('unused_since')
    .limit(deletedAtOnce)
  const { numDeletedRows } = await db
    .deleteFrom('attachment_files')
    .where('id', 'in', unused)
    .executeTakeFirst()
  return numDeletedRows === BigInt(deletedAtOnce)
})

export const attachmentCommands = { add: addAttachment, delete: deleteAttachment, deleteUnusedFiles }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    attachments: typeof attachmentCommands
  }
}

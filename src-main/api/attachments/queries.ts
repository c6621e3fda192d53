import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import type { Attachment } from './schema.ts'
import type { AttachmentsTable } from './tables.ts'

/** A file as a campaign carries it. */
export type CarriedFile = Pick<Selectable<AttachmentsTable>, 'name' | 'media_type' | 'file_id'>

/** Returns what a campaign or template carries, for a copy of it. */
export function carriedFilesOf(db: Kysely<Schema>, campaignId: number): Promise<CarriedFile[]> {
  return db
    .selectFrom('attachments')
    .select(['name', 'media_type', 'file_id'])
    .where('campaign_id', '=', campaignId)
    .orderBy('id')
    .execute()
}

export type AttachmentRow = Awaited<ReturnType<typeof attachmentsOf>>[number]

/** Returns the attachments of a campaign or template, without their bytes. */
export function attachmentsOf(db: Kysely<Schema>, campaignId: number) {
  return db
    .selectFrom('attachments')
    .innerJoin('attachment_files', 'attachment_files.id', 'file_id')
    .select(['attachments.id', 'name', 'media_type', 'size', 'attachments.created_at'])
    .where('campaign_id', '=', campaignId)
    .orderBy('attachments.id')
    .execute()
}

/** An attachment with its bytes. */
export type AttachedFile = Awaited<ReturnType<typeof attachedFilesOf>>[number]

export function attachedFilesOf(db: Kysely<Schema>, campaignId: number) {
  return fileRows(db, campaignId).orderBy('attachments.id').execute()
}

/** @throws ApiError not_found */
export async function attachedFileById(
  db: Kysely<Schema>,
  campaignId: number,
  id: number
): Promise<AttachedFile> {
  const found = await fileRows(db, campaignId).where('attachments.id', '=', id).executeTakeFirst()
  if (!found) throw notFound('attachment', id)
  return found
}

function fileRows(db: Kysely<Schema>, campaignId: number) {
  return db
    .selectFrom('attachments')
    .innerJoin('attachment_files', 'attachment_files.id', 'file_id')
    .select(['attachments.id', 'name', 'media_type', 'bytes'])
    .where('campaign_id', '=', campaignId)
}

export function presentAttachment({ created_at, ...row }: AttachmentRow, timeZone: string): Attachment {
  return { ...row, created_at: formatTime(created_at, timeZone) }
}

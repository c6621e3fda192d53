import type { Generated } from 'kysely'
import type { Fixed, Time } from '../../database/schema.ts'

/** Files that messages carry; one that several campaigns carry is stored once. */
export interface AttachmentFilesTable {
  id: Generated<number>
  organization_id: Fixed<number>
  /** SHA-256 of the bytes, in hex. */
  digest: Fixed<string>
  /** In bytes. */
  size: Fixed<number>
  bytes: Fixed<Buffer>
  /** Since when no campaign or template carries it; null = one does, or it was not checked yet. */
  unused_since: Time | null
}

/** The attachments of campaigns and templates. */
export interface AttachmentsTable {
  id: Generated<number>
  campaign_id: Fixed<number>
  /** The file name that recipients see. */
  name: Fixed<string>
  media_type: Fixed<string>
  file_id: Fixed<number>
  created_at: Fixed<Time>
}

declare module '../../database/schema.ts' {
  interface Schema {
    attachment_files: AttachmentFilesTable
    attachments: AttachmentsTable
  }
}

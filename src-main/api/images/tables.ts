import type { Fixed, Time } from '../../database/schema.ts'
import type { Generated } from 'kysely'
import type { ImageType } from './rules.ts'

/** Images of messages. They are never changed or deleted: a sent message may load them at any time. */
export interface ImagesTable {
  id: Generated<number>
  organization_id: Fixed<number>
  /** Contents refer to it as `cid:KEY`: 32 hex digits of a digest of the organization and the bytes. */
  key: Fixed<string>
  /** The file name. */
  name: Fixed<string>
  media_type: Fixed<ImageType>
  bytes: Fixed<Buffer>
  created_at: Fixed<Time>
}

declare module '../../database/schema.ts' {
  interface Schema {
    images: ImagesTable
  }
}

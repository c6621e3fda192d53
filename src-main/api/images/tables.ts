import type { Fixed, Time } from '../../database/schema.ts'
import type { Generated } from 'kysely'
import type { ImageType } from './rules.ts'

/** Pictures that messages show. They are never changed or removed: a message that was sent may ask for one at any time. */
export interface ImagesTable {
  id: Generated<number>
  organization_id: Fixed<number>
  /** How contents name it (`cid:KEY`), 32 hex digits of a digest of the organization and the bytes. */
  key: Fixed<string>
  /** As its file was called. */
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

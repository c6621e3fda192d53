import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { imageKeysIn } from './rules.ts'
import type { ImagesTable } from './tables.ts'

export type Image = Pick<Selectable<ImagesTable>, 'key' | 'name' | 'media_type' | 'bytes'>

/** The key alone gives access to the image: every recipient of the message may see it. */
export function imageByKey(db: Kysely<Schema>, key: string): Promise<Image | undefined> {
  return db
    .selectFrom('images')
    .select(['key', 'name', 'media_type', 'bytes'])
    .where('key', '=', key)
    .executeTakeFirst()
}

export async function imagesOf(
  db: Kysely<Schema>,
  organizationId: number,
  contents: readonly string[]
): Promise<Image[]> {
  const keys = contents.flatMap(imageKeysIn)
  if (keys.length === 0) return []
  return db
    .selectFrom('images')
    .select(['key', 'name', 'media_type', 'bytes'])
    .where('organization_id', '=', organizationId)
    .where('key', 'in', keys)
    .execute()
}

/** Returns the total bytes of a content's images. */
export async function imageBytesOf(
  db: Kysely<Schema>,
  organizationId: number,
  html: string
): Promise<number> {
  const keys = imageKeysIn(html)
  if (keys.length === 0) return 0
  const { bytes } = await db
    .selectFrom('images')
    .select(({ fn }) => fn.coalesce(fn.sum<number>(fn('length', ['bytes'])), (eb) => eb.lit(0)).as('bytes'))
    .where('organization_id', '=', organizationId)
    .where('key', 'in', keys)
    .executeTakeFirstOrThrow()
  return bytes
}

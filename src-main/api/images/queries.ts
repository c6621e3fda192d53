import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { imageKeysIn } from './rules.ts'
import type { ImagesTable } from './tables.ts'

export type Image = Pick<Selectable<ImagesTable>, 'key' | 'name' | 'media_type' | 'bytes'>

/** Whoever knows the key may see the image, as everybody may who got the message. */
export function imageByKey(db: Kysely<Schema>, key: string): Promise<Image | undefined> {
  return db
    .selectFrom('images')
    .select(['key', 'name', 'media_type', 'bytes'])
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Those images of an organization that contents show. */
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

/** How many bytes the images of a content have in all. */
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

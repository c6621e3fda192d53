import { createHash } from 'node:crypto'
import type { Command } from '../../database/command.ts'
import { imageTypeOf } from './rules.ts'

/**
 * Stores an image; the same image is stored once.
 * @returns its key
 * @throws ApiError validation_failed for a file of another type
 */
const storeImage: Command<{ organizationId: number; name: string; bytes: Uint8Array }, string> = async (
  { db, now },
  { organizationId, name, bytes }
) => {
  const content = Buffer.from(bytes)
  const key = createHash('sha256').update(`${organizationId}\n`).update(content).digest('hex').slice(0, 32)
  await db
    .insertInto('images')
    .values({
      organization_id: organizationId,
      key,
      name,
      media_type: imageTypeOf(content),
      bytes: content,
      created_at: now
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  return key
}

export const imageCommands = { store: storeImage }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    images: typeof imageCommands
  }
}

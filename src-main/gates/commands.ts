import type { Command } from '../database/command.ts'

interface StoredContent {
  urlDomainId: number
  key: string
  /** SHA-256 of what it was made of. */
  sourceDigest: string
  /** JSON of a {@link GateContent}. */
  body: string
  images: string[]
}

/**
 * Stores what a gate is to have of a content.
 * @returns what has to be handed over; null if the gate has it already
 */
const storeContent: Command<
  StoredContent,
  Pick<StoredContent, 'key' | 'sourceDigest' | 'body'> | null
> = async ({ db }, { urlDomainId, key, sourceDigest, body, images }) => {
  const known = await db
    .selectFrom('gate_contents')
    .select(['source_digest', 'is_handed_over', 'body'])
    .where('url_domain_id', '=', urlDomainId)
    .where('content_key', '=', key)
    .executeTakeFirst()
  if (known?.source_digest === sourceDigest) {
    return known.is_handed_over === 1 ? null : { key, sourceDigest, body: known.body }
  }
  await db
    .replaceInto('gate_contents')
    .values({
      url_domain_id: urlDomainId,
      content_key: key,
      source_digest: sourceDigest,
      body,
      images: JSON.stringify(images),
      is_handed_over: 0
    })
    .execute()
  return { key, sourceDigest, body }
}

interface HandedOver {
  urlDomainId: number
  key: string
  sourceDigest: string
}

/** Stores that a gate has a content. @returns false if that has changed meanwhile */
const recordHandedOver: Command<HandedOver, boolean> = async ({ db }, { urlDomainId, key, sourceDigest }) => {
  const { numUpdatedRows } = await db
    .updateTable('gate_contents')
    .set({ is_handed_over: 1 })
    .where('url_domain_id', '=', urlDomainId)
    .where('content_key', '=', key)
    .where('source_digest', '=', sourceDigest)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const gateCommands = { storeContent, recordHandedOver }

declare module '../database/command.ts' {
  interface CommandRegistry {
    gates: typeof gateCommands
  }
}

import { type RawBuilder, sql } from 'kysely'

// Recipients of Remote Lists are no subscribers. Journal, statistics and links name both by one kind of id, so those of Remote
// Lists begin where no subscriber's will ever be.

const offset = 1_000_000_000_000

/** No recipient of a campaign has a greater id. */
export const lastRemoteId = 2 * offset - 1

/** Returns the id of a recipient in journal, statistics and links. @param seqId from 1 for each campaign */
export function remoteIdOf(seqId: number): number {
  return offset + seqId
}

export function seqIdOf(remoteId: number): number {
  return remoteId - offset
}

/** True for the id of a Remote List's recipient; false for a subscriber's, and for 0, an address of a seed list. */
export function isRemoteId(id: number): boolean {
  return id > offset
}

/** {@link seqIdOf} of a column. */
export function seqIdIn(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} - ${sql.lit(offset)}`
}

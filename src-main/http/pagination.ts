import type { SelectQueryBuilder } from 'kysely'
import { Type } from 'typebox'
import { withDefault } from './schema.ts'
import { ApiError, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'

/** The page parameters of a list (docs/api.md, "Limits"). */
export function PageQuery(defaultSize: number) {
  return {
    page: withDefault(Type.Integer({ minimum: 0 }), 0),
    per_page: withDefault(Type.Integer({ minimum: 1 }), defaultSize)
  }
}

/** @throws ApiError requested_too_many when a page is asked for that is larger than the limit. */
export function limitPageSize(perPage: number, most: number): void {
  if (perPage > most)
    throw new ApiError('requested_too_many', refusal('maximum', { field: 'per_page', most }))
}

/** The requested page, from 0, and its size. */
export interface Page {
  page: number
  per_page: number
}

/** Returns the number of records before a page, capped beyond any possible end. */
export function offsetOf({ page, per_page }: Page): number {
  return Math.min(page * per_page, Number.MAX_SAFE_INTEGER)
}

/** Returns one page of a query's rows in its order, and the total number. */
export async function pageOf<Schema, Table extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  page: Page
): Promise<{ rows: Row[]; total: number }> {
  const { total } = await query
    .clearSelect()
    .clearOrderBy()
    .select((select) => select.fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow()
  const rows = await query.limit(page.per_page).offset(offsetOf(page)).execute()
  return { rows, total }
}

/**
 * Returns an opaque token for "the records after this id".
 * @param of the paged collection, such as "list 7", for which alone the token is valid
 */
export function pageTokenAfter(of: string, id: number): string {
  return Buffer.from(`${of} after ${id}`).toString('base64url')
}

/** @throws ApiError validation_failed for anything that pageTokenAfter did not make of the same. */
export function idOfPageToken(of: string, token: string): number {
  const [, made, id] = /^(.*) after (\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString()) ?? []
  if (made === undefined) {
    throw validationFailed(refusal('page_token', { field: 'page_token' }))
  }
  if (made !== of) throw validationFailed(refusal('page_token_of_other', { field: 'page_token' }))
  return Number(id)
}

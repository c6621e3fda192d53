import { type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../base/errors.ts'
import type { Refusal } from '../base/refusal.ts'
import type { Page } from './pagination.ts'

/** The answer of a call that succeeded (docs/api.md, "Requests and answers"). */
export function envelope<Data extends TSchema>(data: Data) {
  return Type.Object({
    success: Type.Boolean(),
    data,
    error_code: Type.Null(),
    error_message: Type.Null()
  })
}

/** The answer of a paginated list: the envelope and its page keys (docs/api.md, "Requests and answers"). */
export function pagedEnvelope<Item extends TSchema>(item: Item) {
  return Type.Object({ ...envelope(Type.Array(item)).properties, ...pageKeys })
}

/** Like {@link pagedEnvelope}, for a page that is not an array itself. */
export function wrappedPageEnvelope<Data extends TSchema>(data: Data) {
  return Type.Object({ ...envelope(data).properties, ...pageKeys })
}

/** Like {@link pagedEnvelope}, with the token of the next page; null = last page. */
export function tokenPagedEnvelope<Item extends TSchema>(item: Item) {
  return Type.Object({
    ...envelope(Type.Array(item)).properties,
    ...pageKeys,
    next_page_token: Type.Union([Type.String(), Type.Null()])
  })
}

const pageKeys = {
  page: Type.Integer(),
  per_page: Type.Integer(),
  num_records: Type.Integer(),
  num_pages: Type.Integer()
}

/** Wraps the result of a call. */
export function ok<Data>(data: Data) {
  return { success: true, data, error_code: null, error_message: null }
}

/** Wraps one page of a list of `total` records. */
export function okPage<Items>(items: Items, page: Page, total: number) {
  return {
    ...ok(items),
    page: page.page,
    per_page: page.per_page,
    num_records: total,
    num_pages: Math.ceil(total / page.per_page)
  }
}

/** The answer of a call that failed. */
export interface FailureEnvelope {
  success: false
  data: unknown
  error_code: ErrorCode
  error_message: string
  /** The refusals in error_message, for the window and the command line only. */
  faults?: readonly Refusal[]
}

import { Type } from 'typebox'
import { ApiError, validationFailed } from '../errors.ts'

/** The page parameters of a list (spec, "Limits"). */
export function PageQuery(defaultSize: number) {
  return {
    page: Type.Integer({ minimum: 0, default: 0 }),
    per_page: Type.Integer({ minimum: 1, default: defaultSize })
  }
}

/** @throws ApiError requested_too_many when a page is asked for that is larger than the limit. */
export function limitPageSize(perPage: number, most: number): void {
  if (perPage > most) throw new ApiError('requested_too_many', `per_page must be at most ${most}`)
}

/** An opaque token for "the records after this id". */
export function pageTokenAfter(id: number): string {
  return Buffer.from(`after:${id}`).toString('base64url')
}

/** @throws ApiError validation_failed for anything that pageTokenAfter did not make. */
export function idOfPageToken(token: string): number {
  const match = /^after:(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString())
  if (!match) throw validationFailed('page_token must be the next_page_token of an earlier response')
  return Number(match[1])
}

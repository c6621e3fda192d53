import { type Static, Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Filled, Nullable } from '../../http/schema.ts'

const params = Type.Object({ name: Filled({ maxLength: 100 }) })

export const DraftInput = Type.Object({
  title: Type.String({ maxLength: 255 }),
  path: Type.String({ maxLength: 255, pattern: '^/' }),
  base: Type.String(),
  state: Type.String()
})

const Draft = Type.Object({
  /** The saved state when the draft was started. */
  base: Type.String(),
  state: Type.String(),
  updated_at: Type.String()
})
export type Draft = Static<typeof Draft>

const DraftSummary = Type.Object({
  name: Type.String(),
  title: Type.String(),
  path: Type.String(),
  updated_at: Type.String()
})
export type DraftSummary = Static<typeof DraftSummary>

/** Unsaved changes of forms in the window. Each user sees their own, in the current organization. */
export const draftEndpoints = unlistedEndpoints({
  'GET /drafts': { access: 'signed_in', answer: envelope(Type.Array(DraftSummary)) },

  // Answers null if there is none.
  'GET /drafts/:name': { access: 'signed_in', params, answer: envelope(Nullable(Draft)) },

  'PUT /drafts/:name': {
    access: 'signed_in',
    params,
    body: DraftInput,
    // The largest content in its present and former form, both written as JSON strings.
    bodyLimit: 16 * 1024 * 1024,
    answer: envelope(Type.Null())
  },

  'DELETE /drafts/:name': { access: 'signed_in', params, answer: envelope(Type.Null()) }
})

import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdParams } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const ImportUndo = Type.Object({
  /** none: can be undone; impossible: changed nothing, or ended too long ago. */
  state: Type.Enum(['none', 'impossible', 'running', 'finished']),
  /** The number of changes to check, and those checked so far. */
  total: Type.Integer(),
  done: Type.Integer(),
  removed: Type.Integer(),
  restored: Type.Integer(),
  kept: Type.Integer(),
  /** The custom fields that the import created and that are still there. */
  created_fields: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  /** The first of the skipped subscribers. */
  kept_subscribers: Type.Array(
    Type.Object({
      id: Type.Integer(),
      email: Type.String(),
      reason: Type.Enum(['changed', 'primary_key'])
    })
  )
})
export type ImportUndo = Static<typeof ImportUndo>

export const importUndoEndpoints = unlistedEndpoints({
  'GET /subscriber_imports/:id/undo': {
    access: 'subscriber.import',
    params: IdParams,
    answer: envelope(ImportUndo)
  },

  'POST /subscriber_imports/:id/undo': {
    access: 'subscriber.import',
    params: IdParams,
    answer: envelope(ImportUndo)
  },

  'GET /subscriber_imports/:id/undo/kept': { access: 'subscriber.import', params: IdParams }
})

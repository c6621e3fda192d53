import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/schema.ts'

export const Attachment = Type.Object({
  id: Type.Integer(),
  /** The file name that recipients see. */
  name: Type.String(),
  media_type: Type.String(),
  /** In bytes; a message carries a third more. */
  size: Type.Integer(),
  created_at: Timestamp
})
export type Attachment = Static<typeof Attachment>

import { type Static, Type } from 'typebox'
import { Nullable } from '../../http/schema.ts'

/** A code that some recipients have no value for. */
const MissingValue = Type.Object({
  /** As it stands in the message, such as %%First_Name|there%%. */
  code: Type.String(),
  recipients: Type.Integer(),
  /** True if they get the text after the bar instead. */
  has_fallback: Type.Boolean(),
  /** One of them. */
  example: Type.String()
})

export const RehearsalReport = Type.Object({
  messages: Type.Integer(),
  /** All messages together, in bytes. */
  bytes: Type.Integer(),
  /** The largest message without its pictures and attachments, in bytes. */
  largest: Type.Integer(),
  /** Messages without their pictures and attachments over 102 kB, which a large mailbox provider cuts. */
  too_large: Type.Integer(),
  missing_values: Type.Array(MissingValue),
  unknown_codes: Type.Array(Type.String()),
  /** Messages with a link that leads nowhere, and a recipient of one. */
  empty_links: Type.Integer(),
  empty_link_example: Nullable(Type.String()),
  /** Recipients who are on a suppression list; they get nothing. */
  suppressed: Type.Integer(),
  /** Addresses that several recipients share, which get a message for each. */
  duplicates: Type.Integer(),
  duplicate_example: Nullable(Type.String())
})
export type RehearsalReport = Static<typeof RehearsalReport>

export const Rehearsal = Type.Object({
  state: Type.Enum(['running', 'finished', 'cancelled', 'failed']),
  /** Recipients so far. */
  checked: Type.Integer(),
  /** null once it is known why not. */
  report: Nullable(RehearsalReport),
  error_message: Nullable(Type.String())
})
export type Rehearsal = Static<typeof Rehearsal>

import { type Static, Type } from 'typebox'
import { ConditionsInput } from '../../api/segments/schema.ts'
import { Nullable, withDefault } from '../../http/schema.ts'

/** Selects subscribers of a list like the window's table. */
export const choiceInput = {
  /** A text that is looked for anywhere in the email and in fields of text. */
  search: withDefault(Type.String({ maxLength: 255 }), ''),
  /** The stored segment whose members the search text and the conditions filter; null = the whole list. */
  segment_id: withDefault(Nullable(Type.Integer()), null),
  /** Conditions that all must hold; see api/segments/conditions.ts. */
  clause: withDefault(ConditionsInput, [])
}

export type ChoiceInput = Static<Type.TObject<typeof choiceInput>>

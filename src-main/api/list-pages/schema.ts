import { type Static, Type } from 'typebox'
import { Nullable } from '../../http/schema.ts'
import { formLanguages } from '../web-forms/schema.ts'

/** Longest data URI of a logo, in characters: it is a part of each page. */
export const maxLogoLength = 200_000

/** How the public pages of a list look: unsubscribing, confirming, preferences and sign-up. */
export const ListPages = Type.Object({
  /** null = that of each visitor, as their browser asks for it. */
  language: Nullable(Type.Enum([...formLanguages])),
  /** The color of buttons, such as #0f766e; '' = the usual one. */
  color: Type.String({ pattern: '^(#[0-9a-fA-F]{6})?$' }),
  /** A picture as a data URI; '' = none. */
  logo: Type.String({
    maxLength: maxLogoLength,
    pattern: '^(data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2})?$'
  }),
  /** True = visitors who come from another list of the organization may choose this one. */
  is_public: Type.Boolean(),
  /** What visitors read of it there. */
  description: Type.String({ maxLength: 500 })
})
export type ListPages = Static<typeof ListPages>

export const ListPagesChanges = Type.Partial(ListPages)
export type ListPagesChanges = Static<typeof ListPagesChanges>

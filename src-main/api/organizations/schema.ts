import { type Static, Type } from 'typebox'
import { Filled } from '../../http/schema.ts'

/** A header or footer of each message of an organization; it may contain replacement codes. */
const Frame = Type.String({ maxLength: 100_000 })

const frames = { html_header: Frame, html_footer: Frame, text_header: Frame, text_footer: Frame }

/** docs/api.md, "Organizations". */
export const Organization = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** Day of the month, from 1. */
  anniversary_day: Type.Integer(),
  /** An IANA time zone. All times in the organization's answers are in it. */
  time_zone_name: Type.String(),
  ...frames
})
export type Organization = Static<typeof Organization>

const input = {
  name: Filled({ maxLength: 255 }),
  anniversary_day: Type.Integer({ minimum: 1, maximum: 31 }),
  time_zone_name: Filled({ maxLength: 100 }),
  ...frames
}

export const OrganizationInput = Type.Object({
  ...Type.Partial(Type.Object(input)).properties,
  name: input.name
})
export type OrganizationInput = Static<typeof OrganizationInput>

/** Omitted properties stay unchanged (docs/api.md, "Requests and answers"). */
export const OrganizationChanges = Type.Partial(Type.Object(input))
export type OrganizationChanges = Static<typeof OrganizationChanges>

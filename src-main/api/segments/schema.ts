import { type Static, Type } from 'typebox'
import type { Condition } from './conditions.ts'
import { Filled, Nullable, Reference, Timestamp } from '../../http/schema.ts'

/**
 * Relations of a subscriber's email to another list (docs/api.md, "Segments"); underscores are accepted too.
 */
export const segmentOperators = ['is in', 'is not in', 'is active in'] as const
export type SegmentOperator = (typeof segmentOperators)[number]

/** A stored condition: whether the email is on another list (docs/api.md, "Segments"). */
export type SegmentCondition = {
  type: 'in_mailing_list'
  operator: SegmentOperator
  mailing_list_id: number
}

/** Other types of conditions have keys of their own, so rules.ts validates the contents. */
export const ClauseInput = Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 50 })

/** As the window sends it; validated by read-conditions.ts. */
export const ConditionsInput = Type.Unsafe<Condition[]>(ClauseInput)

/** A segment with all conditions of the window. */
export const WindowSegmentInput = Type.Object({ name: Filled({ maxLength: 255 }), clause: ConditionsInput })

export const SegmentInput = Type.Object({ name: Filled({ maxLength: 255 }), clause: ClauseInput })
export type SegmentInput = Static<typeof SegmentInput>

export const SegmentChanges = Type.Partial(SegmentInput)
export type SegmentChanges = Static<typeof SegmentChanges>

export const Segment = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  clause: Type.Array(
    Type.Union([
      Type.Object({
        type: Type.Literal('in_mailing_list'),
        operator: Type.Enum([...segmentOperators]),
        mailing_list_id: Type.Integer(),
        mailing_list: Reference
      }),
      // Conditions that only the window uses; see conditions.ts.
      Type.Unsafe<Exclude<Condition, SegmentCondition>>(
        Type.Object({ type: Type.String() }, { additionalProperties: true })
      )
    ])
  ),
  /** Only on creation with include_sql. */
  criteria_sql: Type.Optional(Type.String())
})
export type Segment = Static<typeof Segment>

/** An element of the list (docs/api.md, "Segments"). */
export const SegmentSummary = Type.Object({
  id: Type.Integer(),
  mailing_list_id: Type.Integer(),
  name: Type.String(),
  description: Type.String()
})
export type SegmentSummary = Static<typeof SegmentSummary>

/** The older form of a segment (docs/api.md, "Segments"); ad hoc segments have no name. */
export const SegmentationCriteria = Type.Object({
  id: Type.Integer(),
  name: Nullable(Type.String()),
  mailing_list_id: Type.Integer(),
  criteria_sql: Type.String(),
  /** The clause as JSON text. */
  criteria_json: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type SegmentationCriteria = Static<typeof SegmentationCriteria>

import { type Static, Type } from 'typebox'
import { credentialPlaces } from '../base/credential-places.ts'
import { Fault, Filled, Nullable, Timestamp, withDefault } from '../http/schema.ts'

export const sides = ['local', 'remote'] as const
export type Side = (typeof sides)[number]

/** The kinds of mirrored records, in the order in which they are created. */
export const linkedKinds = [
  'mailing_list',
  'custom_field',
  'subscriber',
  'segment',
  'template',
  'campaign',
  'suppression_list',
  'suppressed_address'
] as const
export type LinkedKind = (typeof linkedKinds)[number]

/**
 * The states of a remote: idle until its next run, running, waiting to retry, asking the user, or paused by
 * the user.
 */
export const remoteStates = ['idle', 'running', 'waiting', 'asking', 'paused'] as const
export type RemoteState = (typeof remoteStates)[number]

/**
 * Questions that a user has to answer before a run continues: another key; what to do with subscribers, a
 * list, fields or segments that are missing on the remote; whether many subscribers really lose values or
 * unsubscribe; whether to retry a run that ended the application twice.
 */
export const questions = [
  'key',
  'gone',
  'list_gone',
  'fields_gone',
  'segments_gone',
  'changed',
  'cut_off'
] as const
export type Question = (typeof questions)[number]

/**
 * Ways to treat records that are missing or changed on the remote: send them again, delete them here too,
 * or accept the remote's. A list can be excluded, and an interrupted run can continue.
 */
export const answers = ['send_again', 'remove_here', 'leave_out', 'take_over', 'go_on'] as const
export type Answer = (typeof answers)[number]

/** The allowed answers to each question. The one about the key is answered by entering another key. */
export const fittingAnswers: Record<Question, readonly Answer[]> = {
  key: [],
  gone: ['send_again', 'remove_here'],
  list_gone: ['send_again', 'leave_out'],
  fields_gone: ['send_again', 'remove_here'],
  segments_gone: ['send_again', 'remove_here'],
  changed: ['send_again', 'take_over'],
  cut_off: ['go_on']
}

/** An answer to a question about a list; null = about no list. */
export interface GivenAnswer {
  question: Question
  mailingListId: number | null
  given: Answer
}

export const runOutcomes = ['finished', 'waiting', 'asking', 'stopped', 'failed'] as const
export type RunOutcome = (typeof runOutcomes)[number]

/** Made anew for each schema: a default belongs to the one where it was given. */
const settings = () => ({
  /**
   * mirror: this side wins, and who unsubscribed on the remote is unsubscribed here. both: changes go both
   * ways.
   */
  direction: Type.Enum(['mirror', 'both']),
  /** The side that wins when both changed a value; with mirror it is always local. */
  conflicts: Type.Enum(['local', 'remote', 'ask']),
  /** null = all lists. */
  mailing_list_ids: Nullable(Type.Array(Type.Integer(), { maxItems: 10_000 })),
  schedule: Type.Enum(['manual', 'interval', 'on_change']),
  /** Minutes between runs; with on_change, between looks at what the remote changed. */
  interval_minutes: Type.Integer({ minimum: 1, maximum: 10_080 }),
  /** null = as many as the remote answers. */
  requests_per_second: Nullable(Type.Number({ minimum: 0.1, maximum: 1000 }))
})

export const RemoteSettings = Type.Object(settings())
export type RemoteSettings = Static<typeof RemoteSettings>

const given = settings()
export const RemoteInput = Type.Object({
  name: Type.Optional(Filled({ maxLength: 100 })),
  base_url: Filled({ maxLength: 500 }),
  organization_id: Type.Integer({ minimum: 1 }),
  api_key: Filled({ maxLength: 500 }),
  direction: withDefault(given.direction, 'mirror'),
  conflicts: withDefault(given.conflicts, 'local'),
  mailing_list_ids: withDefault(given.mailing_list_ids, null),
  schedule: withDefault(given.schedule, 'manual'),
  interval_minutes: withDefault(given.interval_minutes, 15),
  requests_per_second: withDefault(given.requests_per_second, null)
})
export type RemoteInput = Static<typeof RemoteInput>

/** A change keeps what it leaves out. */
export const RemoteChanges = Type.Partial(
  Type.Object({
    name: Filled({ maxLength: 100 }),
    api_key: Filled({ maxLength: 500 }),
    ...settings()
  })
)
export type RemoteChanges = Static<typeof RemoteChanges>

const Counts = Type.Record(Type.String(), Type.Integer())

export const RunResult = Type.Object({
  pushed: Counts,
  pulled: Counts,
  refused: Type.Integer(),
  conflicts: Type.Integer(),
  requests: Type.Integer(),
  bytes_sent: Type.Integer(),
  bytes_received: Type.Integer(),
  /** Progress of a run: the kind of record, the list, and how many of how many. */
  progress: Type.Optional(
    Nullable(
      Type.Object({
        kind: Type.Enum([...linkedKinds]),
        mailing_list_id: Nullable(Type.Integer()),
        done: Type.Integer(),
        total: Nullable(Type.Integer())
      })
    )
  )
})
export type RunResult = Static<typeof RunResult>

export const SyncRun = Type.Object({
  id: Type.Integer(),
  started_at: Timestamp,
  finished_at: Nullable(Timestamp),
  outcome: Nullable(Type.Enum([...runOutcomes])),
  message: Nullable(Type.String()),
  fault: Nullable(Fault),
  ...RunResult.properties
})
export type SyncRun = Static<typeof SyncRun>

export const Remote = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  base_url: Type.String(),
  organization_id: Type.Integer(),
  credential_place: Type.Enum([...credentialPlaces]),
  ...RemoteSettings.properties,
  state: Type.Enum([...remoteStates]),
  message: Nullable(Type.String()),
  fault: Nullable(Fault),
  question: Nullable(Type.Enum([...questions])),
  /** True if a run was requested and has not started. */
  is_requested: Type.Boolean(),
  next_run_at: Nullable(Timestamp),
  pulled_at: Nullable(Timestamp),
  refused: Type.Integer(),
  /** Conflicts that wait for a decision. */
  open_conflicts: Type.Integer(),
  /** Changes of this side that have yet to be sent, by kind; those of subscribers are entries of the change log. */
  pending: Counts,
  last_run: Nullable(SyncRun)
})
export type Remote = Static<typeof Remote>

export const Refusal = Type.Object({
  id: Type.Integer(),
  side: Type.Enum([...sides]),
  kind: Type.Enum([...linkedKinds]),
  mailing_list_id: Nullable(Type.Integer()),
  record_id: Type.Integer(),
  name: Type.String(),
  message: Type.String(),
  fault: Fault,
  at: Timestamp
})
export type Refusal = Static<typeof Refusal>

export const Conflict = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum([...linkedKinds]),
  mailing_list_id: Nullable(Type.Integer()),
  local_id: Type.Integer(),
  name: Type.String(),
  field: Type.String(),
  local_value: Type.Unknown(),
  remote_value: Type.Unknown(),
  kept: Nullable(Type.Enum([...sides])),
  decision: Nullable(Type.Enum([...sides])),
  at: Timestamp,
  resolved_at: Nullable(Timestamp)
})
export type Conflict = Static<typeof Conflict>

/** The remote's state of a campaign that was sent there from here. */
export const TheirCampaign = Type.Object({
  /** The campaign's id on the remote. */
  id: Type.Integer(),
  state: Type.String(),
  started_at: Nullable(Type.String()),
  finished_at: Nullable(Type.String()),
  messages_sent: Type.Integer(),
  opens_unique: Type.Integer(),
  clicks_unique: Type.Integer(),
  bounces_unique: Type.Integer(),
  unsubs_unique: Type.Integer(),
  scomps_unique: Type.Integer()
})
export type TheirCampaign = Static<typeof TheirCampaign>

export const CampaignThere = Type.Object({
  campaign_id: Type.Integer(),
  name: Type.String(),
  there: TheirCampaign
})
export type CampaignThere = Static<typeof CampaignThere>

/** One difference between the two sides. */
export const Difference = Type.Object({
  kind: Type.Enum([...linkedKinds]),
  name: Type.String(),
  /** null = the whole record is on one side only. */
  field: Nullable(Type.String()),
  local: Type.Unknown(),
  remote: Type.Unknown()
})
export type Difference = Static<typeof Difference>

export const Verification = Type.Object({
  equal: Type.Boolean(),
  /** The first 1,000. */
  differences: Type.Array(Difference),
  number_of_differences: Type.Integer()
})
export type Verification = Static<typeof Verification>

/** The effect that a run would have on a list. */
export const ListMatch = Type.Object({
  mailing_list_id: Nullable(Type.Integer()),
  name: Type.String(),
  /** null = it is created there. */
  their_id: Nullable(Type.Integer()),
  subscribers: Type.Integer(),
  their_subscribers: Nullable(Type.Integer()),
  new_fields: Type.Array(Type.String()),
  matched_fields: Type.Array(Type.String()),
  /** Fields of one name and two types, which are not mirrored. */
  unlike_fields: Type.Array(Type.String())
})
export type ListMatch = Static<typeof ListMatch>

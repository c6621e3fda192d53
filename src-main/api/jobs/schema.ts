import { type Static, Type } from 'typebox'
import { Nullable, Timestamp } from '../../http/schema.ts'

/** docs/api.md, "Jobs". */
export const jobTypes = [
  'Campaign',
  'SubscriberImport',
  'SubscriberExport',
  'SuppressedAddressImport'
] as const
export type JobType = (typeof jobTypes)[number]

export const jobStates = [
  'idle',
  'scheduled',
  'loading_immediate',
  'loading_delayed',
  'splitting',
  'importing',
  'estimating',
  'exporting',
  'sending',
  'paused',
  'finished',
  'failed',
  'cancelled'
] as const

export const endedJobStates = ['finished', 'failed', 'cancelled'] as const

/** docs/api.md, "Jobs". */
export const Job = Type.Object({
  id: Type.Integer(),
  job_type: Type.Enum([...jobTypes]),
  state: Type.Enum([...jobStates]),
  state2: Nullable(Type.String()),
  paused: Type.Boolean(),
  name: Type.String(),
  mailing_list_id: Nullable(Type.Integer()),
  organization_id: Type.Integer(),
  suppression_list_id: Nullable(Type.Integer()),
  progress_value: Type.Integer(),
  progress_total: Nullable(Type.Integer()),
  begins_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  retry_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type Job = Static<typeof Job>

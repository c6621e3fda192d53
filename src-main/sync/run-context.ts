import type { Kysely } from 'kysely'
import { createHash } from 'node:crypto'
import type { Schema } from '../database/schema.ts'
import type { CommandClient } from '../database/writer.ts'
import type { MergeRules } from './merge.ts'
import type { RemoteApi } from './remote-api.ts'
import type { Answer, GivenAnswer, LinkedKind, Question, RunResult, Side } from './schema.ts'

/** A record, as it is named to a person. */
export interface Named {
  kind: LinkedKind
  mailingListId: number | null
  /** On the side that it comes from. */
  recordId: number
  name: string
}

/** A value that was changed on both sides, to be noted. */
export interface NotedConflict extends Omit<Named, 'recordId'> {
  localId: number
  field: string
  local: unknown
  remote: unknown
  keep: Side | null
}

/** A record that one side refused, to be noted. */
export interface NotedRefusal extends Named {
  side: Side
  message: string
  /** Of what was refused ({@link versionOf}). */
  version: string
}

/** Records that one side refused, and what of each was refused; by side, kind and id. */
export type Refused = Map<string, string>

/** What one run works with. */
export interface Run {
  remoteId: number
  organizationId: number
  /** Of the organization: in which commands read times. */
  timeZone: string
  rules: MergeRules
  /** null = all lists. */
  mailingListIds: number[] | null
  /** What a person answered since the last run that finished. */
  answers: readonly GivenAnswer[]
  api: RemoteApi
  client: CommandClient
  /** A connection of its own. */
  reader: Kysely<Schema>
  signal: AbortSignal
  result: RunResult
  refused: Refused
}

/** Of a run that has yet to do anything. */
export function emptyResult(): RunResult {
  return {
    pushed: {},
    pulled: {},
    refused: 0,
    conflicts: 0,
    requests: 0,
    bytes_sent: 0,
    bytes_received: 0,
    progress: null
  }
}

export function count(run: Run, direction: 'pushed' | 'pulled', kind: LinkedKind, records = 1): void {
  const counts = run.result[direction]
  counts[kind] = (counts[kind] ?? 0) + records
}

/** Tells what was refused from what the record becomes later. */
export function versionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}

export function refusalKey(side: Side, { kind, recordId }: Pick<Named, 'kind' | 'recordId'>): string {
  return `${side} ${kind} ${recordId}`
}

/** Whether a side refused a record as it still is: it is not sent again before it changes, or somebody asks for it. */
export function wasRefused(run: Run, side: Side, named: Named, content: unknown): boolean {
  const refused = run.refused.get(refusalKey(side, named))
  return refused !== undefined && refused === versionOf(content)
}

/** Notes that a side refused a record, which is shown with the reason and holds up no other one. */
export async function noteRefusal(
  run: Run,
  side: Side,
  named: Named,
  content: unknown,
  message: string
): Promise<void> {
  await noteRefusals(run, [{ ...named, side, message, version: versionOf(content) }])
}

/** The same of several records at once. */
export async function noteRefusals(run: Run, refusals: NotedRefusal[]): Promise<void> {
  if (refusals.length === 0) return
  for (const refusal of refusals) run.refused.set(refusalKey(refusal.side, refusal), refusal.version)
  run.result.refused += refusals.length
  await run.client.run('syncs.noteRefusals', { remoteId: run.remoteId, refusals })
}

/** Forgets that a record was refused, since it was taken. */
export async function forgetRefusal(run: Run, side: Side, named: Named): Promise<void> {
  if (!run.refused.delete(refusalKey(side, named))) return
  await run.client.run('syncs.forgetRefusals', {
    remoteId: run.remoteId,
    side,
    kind: named.kind,
    recordIds: [named.recordId]
  })
}

/** Conflicts of one command: some 10 ms of work. */
const notedAtOnce = 100

/** What a person answered to a question about a list, or about what belongs to no list; null = nothing yet. */
export function answerFor({ answers }: Run, question: Question, mailingListId: number | null): Answer | null {
  const fits = (each: GivenAnswer): boolean =>
    each.question === question && each.mailingListId === mailingListId
  return answers.findLast(fits)?.given ?? null
}

export async function noteConflicts(run: Run, conflicts: NotedConflict[]): Promise<void> {
  for (let at = 0; at < conflicts.length; at += notedAtOnce) {
    run.result.conflicts += await run.client.run('syncs.noteConflicts', {
      remoteId: run.remoteId,
      conflicts: conflicts.slice(at, at + notedAtOnce)
    })
  }
}

/** Notes that what a person decided about records was done. */
export async function settleDecisions(run: Run, kind: LinkedKind, localIds: number[]): Promise<void> {
  await run.client.run('syncs.settleDecisions', { remoteId: run.remoteId, kind, localIds })
}

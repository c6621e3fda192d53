import { type Refusal } from '../base/refusal.ts'
import type { Kysely } from 'kysely'
import { createHash } from 'node:crypto'
import type { Schema } from '../database/schema.ts'
import type { CommandClient } from '../database/writer.ts'
import type { MergeRules } from './merge.ts'
import type { RemoteApi } from './remote-api.ts'
import type { Answer, GivenAnswer, LinkedKind, Question, RunResult, Side } from './schema.ts'

/** A record with its name. */
export interface Named {
  kind: LinkedKind
  mailingListId: number | null
  /** The id on the side where the record comes from. */
  recordId: number
  name: string
}

/** A value that both sides changed. */
export interface NotedConflict extends Omit<Named, 'recordId'> {
  localId: number
  field: string
  local: unknown
  remote: unknown
  keep: Side | null
}

/** A record that one side refused. */
export interface NotedRefusal extends Named {
  side: Side
  fault: Refusal
  /** Identifies the refused content ({@link versionOf}). */
  version: string
}

/** Refused records by side, kind and id, with what was refused. */
export type Refused = Map<string, string>

export interface Run {
  remoteId: number
  organizationId: number
  /** The organization's time zone, in which commands read times. */
  timeZone: string
  rules: MergeRules
  /** null = all lists. */
  mailingListIds: number[] | null
  /** The user's answers since the last run that finished. */
  answers: readonly GivenAnswer[]
  api: RemoteApi
  client: CommandClient
  /** The run's own connection. */
  reader: Kysely<Schema>
  signal: AbortSignal
  result: RunResult
  refused: Refused
}

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

export function countOperation(
  run: Run,
  direction: 'pushed' | 'pulled',
  kind: LinkedKind,
  records = 1
): void {
  const counts = run.result[direction]
  counts[kind] = (counts[kind] ?? 0) + records
}

/** Returns a digest of a refused content, so that a changed record is sent again. */
export function versionOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
}

export function refusalKey(side: Side, { kind, recordId }: Pick<Named, 'kind' | 'recordId'>): string {
  return `${side} ${kind} ${recordId}`
}

/** True if a side refused this very content: it is not sent again until it changes or a user requests it. */
export function wasRefused(run: Run, side: Side, named: Named, content: unknown): boolean {
  const refused = run.refused.get(refusalKey(side, named))
  return refused !== undefined && refused === versionOf(content)
}

/** Records that a side refused a record. It is shown with the reason, and the run continues. */
export async function recordRefusal(
  run: Run,
  side: Side,
  named: Named,
  content: unknown,
  fault: Refusal
): Promise<void> {
  await noteRefusals(run, [{ ...named, side, fault, version: versionOf(content) }])
}

/** The same of several records at once. */
export async function noteRefusals(run: Run, refusals: NotedRefusal[]): Promise<void> {
  if (refusals.length === 0) return
  for (const refusal of refusals) run.refused.set(refusalKey(refusal.side, refusal), refusal.version)
  run.result.refused += refusals.length
  await run.client.run('syncs.noteRefusals', { remoteId: run.remoteId, refusals })
}

/** Forgets that a record was refused, since it was taken. */
export async function deleteRefusal(run: Run, side: Side, named: Named): Promise<void> {
  if (!run.refused.delete(refusalKey(side, named))) return
  await run.client.run('syncs.deleteRefusals', {
    remoteId: run.remoteId,
    side,
    kind: named.kind,
    recordIds: [named.recordId]
  })
}

/** Conflicts of one command: some 10 ms of work. */
const notedAtOnce = 100

/** Returns the user's answer to a question about a list, or about no list; null = not answered yet. */
export function answerFor({ answers }: Run, question: Question, mailingListId: number | null): Answer | null {
  const fits = (each: GivenAnswer): boolean =>
    each.question === question && each.mailingListId === mailingListId
  return answers.findLast(fits)?.given ?? null
}

export async function recordNewConflicts(run: Run, conflicts: NotedConflict[]): Promise<void> {
  for (let at = 0; at < conflicts.length; at += notedAtOnce) {
    run.result.conflicts += await run.client.run('syncs.recordNewConflicts', {
      remoteId: run.remoteId,
      conflicts: conflicts.slice(at, at + notedAtOnce)
    })
  }
}

/** Marks decisions about records as applied. */
export async function markDecisionsApplied(run: Run, kind: LinkedKind, localIds: number[]): Promise<void> {
  await run.client.run('syncs.markDecisionsApplied', { remoteId: run.remoteId, kind, localIds })
}

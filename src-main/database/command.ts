import type { Database } from 'better-sqlite3'
import type { Kysely } from 'kysely'
import type { Origin } from './origin.ts'
import type { ChangeAction, ChangedEntity, Schema } from './schema.ts'

/** A run of records that a command changed. */
export interface Change {
  entity: ChangedEntity
  action: ChangeAction
  organizationId: number
  mailingListId: number | null
  firstId: number
  /** The same as firstId for a single record. */
  lastId: number
  /** Which of them, where not all are meant or where each needs more detail. */
  members?: ChangedMembers
  /** What was changed of a single record, as JSON can hold it. */
  details?: object
}

/** Records that a command changed, among others that it did not. */
export interface ChangedMembers {
  ids: number[]
  /** What each was before and is now, in the order of the ids; null = the same. */
  statuses?: ([before: string, now: string] | null)[]
}

/** What a command works with. All of it belongs to the one transaction of the command. */
export interface CommandContext {
  db: Kysely<Schema>
  /** The same connection, for the prepared fast paths in database/. */
  sqlite: Database
  /** UNIX milliseconds, one value for the whole command, and another one for each: after the clock was set back it is ahead of it. */
  now: number
  /** What the clock says, in UNIX milliseconds: to be compared with times that people chose. */
  clock: number
  /** Where the command comes from, for the change log. The commands of jobs say so themselves; null = nobody asked for it. */
  origin: Origin | null
  /** Notes a change for the change log and, once committed, for whoever listens. */
  record(change: Change): void
  /**
   * Asked by a background command between its steps: whether to return {@link unfinished}, because a command that
   * somebody waits for has come, or because one will probably come soon.
   */
  shouldPause(): Promise<boolean>
  /** Whether somebody else is making changes. They wait until the current step of a background command ends, so steps are small then. */
  isShared(): boolean
  /** Calls back if what the command did is taken back, for what it changed outside of the database. */
  onRollback(undo: () => void): void
}

/**
 * A change of the data: checks what must hold, writes, answers. Runs on the writer thread inside one transaction; an
 * error leaves nothing behind. Input and result cross threads, so they are plain data.
 */
export type Command<Input, Result> = (context: CommandContext, input: Input) => Promise<Result>

/** Whose a record is: an organization's, or a list's of it. */
export interface Owner {
  organizationId: number
  mailingListId?: number | null
}

/** Notes a change of a single record. @param details what was changed of it, for its history */
export function recordOne(
  context: CommandContext,
  entity: ChangedEntity,
  action: ChangeAction,
  { organizationId, mailingListId = null }: Owner,
  id: number,
  details?: object
): void {
  context.record({
    entity,
    action,
    organizationId,
    mailingListId,
    firstId: id,
    lastId: id,
    ...(details && { details })
  })
}

/** A row that says whose it is. */
interface OwnedRow {
  id: number
  organization_id: number
  /** Left out, or null, for what belongs to no list. */
  mailing_list_id?: number | null
}

/** Notes a change of the record that a row holds. @param details what was changed of it, for its history */
export function recordRow(
  context: CommandContext,
  entity: ChangedEntity,
  action: ChangeAction,
  { id, organization_id, mailing_list_id = null }: OwnedRow,
  details?: object
): void {
  const owner = { organizationId: organization_id, mailingListId: mailing_list_id }
  recordOne(context, entity, action, owner, id, details)
}

/** Marks a command of a long job: it yields to the commands that somebody waits for, and commits without an fsync. */
export interface BackgroundCommand<Input, Result> {
  background: true
  run: Command<Input, Result | Unfinished<Input>>
}

export function inBackground<Input, Result>(
  run: Command<Input, Result | Unfinished<Input>>
): BackgroundCommand<Input, Result> {
  return { background: true, run }
}

/** What a background command answers that paused: what it did can be committed, and it goes on with `rest`, first in its queue. */
export class Unfinished<Input> {
  readonly rest: Input

  constructor(rest: Input) {
    this.rest = rest
  }
}

/** The commands of the application, by namespace and name. Each module adds its own, by declaration merging. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- modules above this one fill it by declaration merging
export interface CommandRegistry {}

type Namespace = keyof CommandRegistry

/** Such as "subscribers.update". */
export type CommandName = {
  [Name in Namespace]: `${Name}.${keyof CommandRegistry[Name] & string}`
}[Namespace]

type EntryOf<Name extends CommandName> = Name extends `${infer Of extends Namespace}.${infer Own}`
  ? Own extends keyof CommandRegistry[Of]
    ? CommandRegistry[Of][Own]
    : never
  : never

type Signature<Entry> =
  Entry extends BackgroundCommand<infer Input, infer Result>
    ? { input: Input; result: Result }
    : Entry extends Command<infer Input, infer Result>
      ? { input: Input; result: Result }
      : never

export type CommandInput<Name extends CommandName> = Signature<EntryOf<Name>>['input']
export type CommandResult<Name extends CommandName> = Signature<EntryOf<Name>>['result']

/** Finds a command. @returns whether it is one of a long job, and what it does */
export function commandNamed(
  commands: CommandRegistry,
  name: CommandName
): { background: boolean; run: Command<unknown, unknown> } {
  const [namespace, own] = name.split('.') as [Namespace, string]
  // What has a CommandName is there: the two types are made of one.
  const entry = (commands[namespace] as Record<string, unknown>)[own] as
    Command<unknown, unknown> | BackgroundCommand<unknown, unknown>
  return typeof entry === 'function' ? { background: false, run: entry } : entry
}

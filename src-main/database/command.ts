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
  /** The changed ids, if not all in the range or with details for each. */
  members?: ChangedMembers
  /** The change of a single record, as JSON. */
  details?: object
  /** True if it is nothing to record: it only wakes the jobs that it concerns. */
  isUnlogged?: true
}

/** The changed ids of a change-log entry whose range also contains unchanged records. */
export interface ChangedMembers {
  ids: number[]
  /** The status before and after, in the order of the ids; null = unchanged. */
  statuses?: ([before: string, now: string] | null)[]
}

/** The context of a command; everything belongs to its transaction. */
export interface CommandContext {
  db: Kysely<Schema>
  /**
   * The same connection without Kysely, for prepared statements on hot paths such as imports/import-batch.ts.
   */
  sqlite: Database
  /** UNIX milliseconds, one value for the whole command, and another one for each: after the clock was set back it is ahead of it. */
  now: number
  /** The system's time in UNIX milliseconds, for comparisons with times that users chose. */
  clock: number
  /**
   * The origin of the command for the change log. Commands of jobs set it themselves; null = the application
   * itself.
   */
  origin: Origin | null
  record(change: Change): void
  /**
   * Background commands call this between steps. If true they return {@link unfinished}: another command
   * waits, or will probably arrive soon.
   */
  shouldPause(): Promise<boolean>
  /**
   * True if others are writing. They wait for the current step of a background command, so steps must be
   * small.
   */
  isShared(): boolean
  onRollback(undo: () => void): void
}

/**
 * A change of the data: checks what must hold, writes, answers. Runs on the writer thread inside one transaction; an
 * error leaves nothing behind. Input and result cross threads, so they are plain data.
 */
export type Command<Input, Result> = (context: CommandContext, input: Input) => Promise<Result>

/** The organization, or list, that a record belongs to. */
export interface Owner {
  organizationId: number
  mailingListId?: number | null
}

/**
 * Records a change of a single record.
 * @param details of the change, for the record's history
 */
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

interface OwnedRow {
  id: number
  organization_id: number
  /** Left out, or null, for what belongs to no list. */
  mailing_list_id?: number | null
}

/**
 * Records a change of a row's record.
 * @param details of the change, for the record's history
 */
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

/** A command of a long job: it yields to commands whose callers wait, and commits without an fsync. */
export interface BackgroundCommand<Input, Result> {
  background: true
  run: Command<Input, Result | Unfinished<Input>>
}

export function inBackground<Input, Result>(
  run: Command<Input, Result | Unfinished<Input>>
): BackgroundCommand<Input, Result> {
  return { background: true, run }
}

/** A command that runs even if the database is damaged: it lets users sign in and look. */
export interface SafeCommand<Input, Result> {
  runsOnDamage: true
  run: Command<Input, Result>
}

export function evenIfDamaged<Input, Result>(run: Command<Input, Result>): SafeCommand<Input, Result> {
  return { runsOnDamage: true, run }
}

/**
 * A command that writes only subscribers, what is counted of them and what is queued for them. What such commands read of lists, fields and
 * rules stays true after it, and is not read again by the next one; see remembered.ts.
 */
export interface SubscriberCommand<Input, Result> {
  writesSubscribersOnly: true
  run: Command<Input, Result>
}

export function onSubscribersOnly<Input, Result>(
  run: Command<Input, Result>
): SubscriberCommand<Input, Result> {
  return { writesSubscribersOnly: true, run }
}

/**
 * Returned by a paused background command: its changes can be committed, and it continues with `rest` as the
 * first of its queue.
 */
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
    : Entry extends
          | SafeCommand<infer Input, infer Result>
          | SubscriberCommand<infer Input, infer Result>
          | Command<infer Input, infer Result>
      ? { input: Input; result: Result }
      : never

export type CommandInput<Name extends CommandName> = Signature<EntryOf<Name>>['input']
export type CommandResult<Name extends CommandName> = Signature<EntryOf<Name>>['result']

interface RegisteredCommand {
  background: boolean
  runsOnDamage: boolean
  writesSubscribersOnly: boolean
  run: Command<unknown, unknown>
}

export function commandNamed(commands: CommandRegistry, name: CommandName): RegisteredCommand {
  const [namespace, own] = name.split('.') as [Namespace, string]
  // Both types are made from the same object, so every CommandName exists there.
  const entry = (commands[namespace] as Record<string, unknown>)[own] as
    Command<unknown, unknown> | (Partial<RegisteredCommand> & Pick<RegisteredCommand, 'run'>)
  const ordinary = { background: false, runsOnDamage: false, writesSubscribersOnly: false }
  return typeof entry === 'function' ? { ...ordinary, run: entry } : { ...ordinary, ...entry }
}

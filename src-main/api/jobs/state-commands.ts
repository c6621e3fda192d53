import type { Command, CommandContext } from '../../database/command.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { storeRefusal, type StoredRefusal } from '../../base/stored-refusal.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import { endedJobStates } from './schema.ts'

/** The columns of a job's state. @typeParam Running the states with work left */
export interface StateColumns<Running extends string> {
  state: Running | 'paused' | (typeof endedJobStates)[number]
  error_message: StoredRefusal | null
  /** UNIX milliseconds; null while work is left. */
  finished_at: number | null
}

interface StatefulKind<Row extends { state: string }, Running extends string> {
  /** With its article, such as "an import". */
  noun: string
  /** The state of a job whose thread has yet to start or continue. */
  waiting: Running
  /** States in which a thread works on a job, or soon will. */
  running: readonly Running[]
  /** @throws ApiError not_found */
  find: (db: CommandContext['db'], organizationId: number, id: number) => Promise<Row>
  /** Returns a job for its thread; undefined if it must not run (any more). */
  findRunning: (context: CommandContext, id: number) => Promise<Row | undefined>
  change: (context: CommandContext, row: Row, columns: StateColumns<Running>) => Promise<unknown>
}

interface Named {
  organizationId: number
  id: number
}

export interface StateCommands {
  /**
   * Pauses a running job at its next step.
   * @throws ApiError not_found; validation_failed if it is not running
   */
  pause: Command<Named, void>
  /**
   * Resumes a paused job.
   * @throws ApiError not_found; validation_failed if it is not paused
   */
  unpause: Command<Named, void>
  /**
   * Cancels an unfinished job for good; its results stay.
   * @throws ApiError not_found; validation_failed if it has ended
   */
  cancel: Command<Named, void>
  /** Stores how a thread left its job, unless it was paused or cancelled meanwhile. */
  end: Command<{ id: number; end: JobEnd }, void>
}

/** Creates the commands that change the state of a kind of job. */
export function stateCommands<Row extends { state: string }, Running extends string>(
  kind: StatefulKind<Row, Running>
): StateCommands {
  const isRunning = ({ state }: Row): boolean => (kind.running as readonly string[]).includes(state)
  const isPaused = ({ state }: Row): boolean => state === 'paused'
  const byPerson =
    (
      participle: string,
      isAllowed: (row: Row) => boolean,
      columns: (now: number) => StateColumns<Running>
    ): Command<Named, void> =>
    async (context, { organizationId, id }) => {
      const row = await kind.find(context.db, organizationId, id)
      if (!isAllowed(row)) {
        throw validationFailed(refusal('job_in_state', { noun: kind.noun, state: row.state, participle }))
      }
      await kind.change(context, row, columns(context.now))
    }
  return {
    pause: byPerson('paused', isRunning, () => unended('paused')),
    unpause: byPerson('unpaused', isPaused, () => unended(kind.waiting)),
    cancel: byPerson(
      'cancelled',
      (row) => isRunning(row) || isPaused(row),
      (now) => ({
        state: 'cancelled',
        error_message: null,
        finished_at: now
      })
    ),
    end: async (context, { id, end }) => {
      const row = await kind.findRunning(context, id)
      if (row) await kind.change(context, row, columnsOf(end, context.now))
    }
  }
}

function columnsOf(end: JobEnd, now: number): StateColumns<never> {
  if (end.is === 'held') return { ...unended('paused'), error_message: storeRefusal(end.fault) }
  return {
    state: end.is,
    error_message: end.is === 'failed' ? storeRefusal(end.fault) : null,
    finished_at: now
  }
}

function unended<State>(state: State): { state: State; error_message: null; finished_at: null } {
  return { state, error_message: null, finished_at: null }
}

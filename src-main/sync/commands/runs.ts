import { type Refusal } from '../../base/refusal.ts'
import { storeRefusal } from '../../base/stored-refusal.ts'
import { type Command, type CommandContext, inBackground } from '../../database/command.ts'
import type { JobEnd } from '../../jobs/outcome.ts'
import { type RemoteRow, settingsOf } from '../queries.ts'
import { emptyResult } from '../run-context.ts'
import type { GivenAnswer, Question, RemoteSettings, RunResult } from '../schema.ts'
import { answersOf, nextRunAt, updateRemote } from './remotes.ts'

/** The input of a run. */
export interface RunPlan {
  runId: number
  remote: RemoteRow
  settings: RemoteSettings
  answers: GivenAnswer[]
  timeZone: string
  /** The number of runs in a row before this one during which the application crashed or was killed. */
  cutOffs: number
}

/** Starts a run. Returns null if the remote was deleted or paused. */
const startRun: Command<{ id: number }, RunPlan | null> = async (context, { id }) => {
  const remote = await context.db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', ['idle', 'running', 'waiting'])
    .executeTakeFirst()
  if (!remote) return null
  const { time_zone_name } = await context.db
    .selectFrom('organizations')
    .select('time_zone_name')
    .where('id', '=', remote.organization_id)
    .executeTakeFirstOrThrow()
  const answers = answersOf(remote)
  const goesOn = answers.some(({ question }) => question === 'cut_off')
  // A run that is still open here was cut off: the application crashed or was killed.
  const cutOffs = goesOn ? 0 : remote.state === 'running' ? remote.cut_offs + 1 : remote.cut_offs
  // Marks interrupted runs as stopped.
  await context.db
    .updateTable('sync_runs')
    .set({ finished_at: context.now, outcome: 'stopped' })
    .where('remote_id', '=', id)
    .where('finished_at', 'is', null)
    .execute()
  const { id: runId } = await context.db
    .insertInto('sync_runs')
    .values({
      remote_id: id,
      started_at: context.now,
      finished_at: null,
      outcome: null,
      message: null,
      result: JSON.stringify(emptyResult())
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await updateRemote(context, remote, {
    state: 'running',
    message: null,
    // A later request applies to the next run.
    requested_at: null,
    cut_offs: cutOffs,
    // The answer "go on" holds for this run only: if it crashes the application again, the question is asked again.
    answers: JSON.stringify(answers.filter(({ question }) => question !== 'cut_off'))
  })
  return { runId, remote, settings: settingsOf(remote), answers, timeZone: time_zone_name, cutOffs }
}

/** Records that a run was stopped because the application closes. The next start resumes it. */
const recordStop: Command<{ id: number }, void> = async ({ db }, { id }) => {
  await db
    .updateTable('sync_remotes')
    .set({ state: 'idle', next_run_at: 0 })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute()
}

/** Stores the progress of a run. Returns false if the remote was paused or deleted: the run must stop. */
const recordProgress = inBackground<{ runId: number; result: RunResult }, boolean>(
  async ({ db }, { runId, result }) => {
    await db
      .updateTable('sync_runs')
      .set({ result: JSON.stringify(result) })
      .where('id', '=', runId)
      .execute()
    const remote = await db
      .selectFrom('sync_runs')
      .innerJoin('sync_remotes', 'sync_remotes.id', 'sync_runs.remote_id')
      .select('state')
      .where('sync_runs.id', '=', runId)
      .executeTakeFirst()
    return remote?.state === 'running'
  }
)

/** The end of a run that its thread reports. */
export type RunEnd =
  | { is: 'finished'; pulledAll: boolean }
  /** The network or the remote failed; the run is retried. */
  | { is: 'waiting'; fault: Refusal | null }
  | { is: 'asking'; question: Question; fault: Refusal; mailingListId: number | null }

/** Minutes until the next retry, by the number of failures in a row. */
const retryMinutes = [1, 2, 5, 10, 30]

const endRun: Command<{ runId: number; result: RunResult; end: RunEnd }, void> = async (
  context,
  { runId, result, end: ended }
) => {
  const message = ended.is === 'finished' || ended.fault === null ? null : storeRefusal(ended.fault)
  const run = await context.db
    .updateTable('sync_runs')
    .set({
      finished_at: context.now,
      outcome: ended.is,
      message,
      result: JSON.stringify({ ...result, progress: null })
    })
    .where('id', '=', runId)
    .returning('remote_id')
    .executeTakeFirst()
  const row =
    run &&
    (await context.db
      .selectFrom('sync_remotes')
      .selectAll()
      .where('id', '=', run.remote_id)
      .where('state', '=', 'running')
      .executeTakeFirst())
  if (!row) return
  // The run ended, so it did not crash the application.
  await context.db.updateTable('sync_remotes').set({ cut_offs: 0 }).where('id', '=', row.id).execute()
  const settings = settingsOf(row)
  switch (ended.is) {
    case 'finished':
      return updateRemote(context, row, {
        state: 'idle',
        message: null,
        answers: '[]',
        next_run_at: nextRunAt(context, settings),
        ...(ended.pulledAll && { pulled_at: context.now })
      })
    case 'waiting': {
      const failures = await countFailuresInARow(context, row.id)
      const minutes = retryMinutes[Math.min(failures, retryMinutes.length) - 1] ?? 1
      return updateRemote(context, row, {
        state: 'waiting',
        message,
        requested_at: null,
        next_run_at: context.clock + minutes * 60_000
      })
    }
    case 'asking':
      return updateRemote(context, row, {
        state: 'asking',
        question: ended.question,
        question_list_id: ended.mailingListId,
        message,
        requested_at: null,
        next_run_at: null
      })
  }
}

async function countFailuresInARow({ db }: CommandContext, remoteId: number): Promise<number> {
  const runs = await db
    .selectFrom('sync_runs')
    .select('outcome')
    .where('remote_id', '=', remoteId)
    .orderBy('id', 'desc')
    .limit(retryMinutes.length)
    .execute()
  const end = runs.findIndex(({ outcome }) => outcome !== 'waiting')
  return Math.max(1, end === -1 ? runs.length : end)
}

const endSyncJob: Command<{ id: number; end: JobEnd }, void> = async (context, { id, end: ended }) => {
  const row = await context.db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirst()
  if (!row || ended.is === 'finished') return
  await context.db
    .updateTable('sync_runs')
    .set({ finished_at: context.now, outcome: 'failed', message: storeRefusal(ended.fault) })
    .where('remote_id', '=', id)
    .where('finished_at', 'is', null)
    .execute()
  await updateRemote(context, row, {
    state: 'waiting',
    message: storeRefusal(ended.fault),
    requested_at: null,
    next_run_at: context.clock + 5 * 60_000
  })
}

/** Deletes runs and decided conflicts that are older than a time (UNIX milliseconds). */
const deleteExpiredRuns = inBackground<{ time: number }, void>(async ({ db }, { time }) => {
  await db.deleteFrom('sync_runs').where('finished_at', '<', time).execute()
  await db
    .deleteFrom('sync_conflicts')
    .where('resolved_at', '<', time)
    .where('decision', 'is', null)
    .execute()
})

export const runCommands = {
  begin: startRun,
  noteStop: recordStop,
  recordProgressOf: recordProgress,
  end: endRun,
  endJob: endSyncJob,
  forgetOld: deleteExpiredRuns
}

import { presentStored } from '../../base/stored-refusal.ts'
import { mailingListsOf } from '../../api/mailing-lists/queries.ts'
import type { CredentialPlace } from '../../base/credential-places.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { remoteById, type RemoteRow, settingsOf } from '../queries.ts'
import { type Answer, fittingAnswers, type GivenAnswer, type RemoteSettings } from '../schema.ts'
import { deleteAgreedList } from './lists.ts'

interface AddRemoteInput {
  organizationId: number
  name: string
  baseUrl: string
  remoteOrganizationId: number
  settings: RemoteSettings
  credentialPlace: CredentialPlace
}

const addRemote: Command<AddRemoteInput, number> = async (context, input) => {
  const { id } = await context.db
    .insertInto('sync_remotes')
    .values({
      organization_id: input.organizationId,
      name: input.name,
      base_url: input.baseUrl,
      remote_organization_id: input.remoteOrganizationId,
      settings: JSON.stringify(input.settings),
      credential_place: input.credentialPlace,
      state: 'idle',
      message: null,
      question: null,
      question_list_id: null,
      requested_at: null,
      next_run_at: nextRunAt(context, input.settings),
      pulled_at: null,
      created_at: context.now,
      updated_at: context.now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'sync_remote', 'create', input, id)
  return id
}

export interface RemoteInput {
  organizationId: number
  id: number
}

interface ChangeRemoteInput extends RemoteInput {
  name?: string
  settings: Partial<RemoteSettings>
  /** The place of a new key. */
  credentialPlace?: CredentialPlace
}

const changeRemote: Command<ChangeRemoteInput, void> = async (context, input) => {
  const row = await remoteById(context.db, input.organizationId, input.id)
  const settings = { ...settingsOf(row), ...input.settings }
  const goesOn = row.question === 'key' && input.credentialPlace !== undefined
  const isRescheduled =
    ['idle', 'running'].includes(row.state) &&
    (input.settings.schedule !== undefined || input.settings.interval_minutes !== undefined)
  await updateRemote(context, row, {
    ...(input.name !== undefined && { name: input.name }),
    settings: JSON.stringify(settings),
    ...(input.credentialPlace && { credential_place: input.credentialPlace }),
    ...(goesOn && { state: 'idle' as const, question: null, message: null, requested_at: context.now }),
    ...(isRescheduled && { next_run_at: nextRunAt(context, settings) })
  })
}

const removeRemote: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  await context.db.deleteFrom('sync_remotes').where('id', '=', row.id).execute()
  recordOne(context, 'sync_remote', 'delete', { organizationId }, row.id, { name: row.name })
}

/** Requests a run as soon as possible, also of a remote that is paused or waits for a retry. */
export const requestRun: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  if (row.state === 'asking') {
    throw validationFailed(
      refusal('remote_needs_answer', { name: row.name, question: presentStored(row.message).fault ?? '' })
    )
  }
  await updateRemote(context, row, {
    ...(row.state !== 'running' && { state: 'idle' as const, message: null }),
    requested_at: context.now
  })
}

/** Stops the current run and starts no other until the remote is resumed. */
const pauseRemote: Command<RemoteInput, void> = async (context, { organizationId, id }) => {
  const row = await remoteById(context.db, organizationId, id)
  await updateRemote(context, row, {
    state: 'paused',
    message: null,
    question: null,
    answers: '[]',
    requested_at: null,
    next_run_at: null
  })
}

const answerQuestion: Command<RemoteInput & { answer: Answer }, void> = async (
  context,
  { organizationId, id, answer }
) => {
  const row = await remoteById(context.db, organizationId, id)
  const listId = row.question_list_id
  if (row.question === null || !fittingAnswers[row.question].includes(answer)) {
    throw validationFailed(refusal('remote_not_asking', { name: row.name }))
  }
  if (answer === 'leave_out' && listId !== null) await leaveOutList(context, row, listId)
  const given: GivenAnswer = { question: row.question, mailingListId: listId, given: answer }
  await updateRemote(context, row, {
    answers: JSON.stringify([...answersOf(row), given]),
    state: 'idle',
    question: null,
    message: null,
    requested_at: context.now
  })
}

/** Excludes a list from the mirrored ones and deletes its agreed state. */
async function leaveOutList(context: CommandContext, row: RemoteRow, mailingListId: number): Promise<void> {
  const settings = settingsOf(row)
  const ids =
    settings.mailing_list_ids ?? (await mailingListsOf(context.db, row.organization_id)).map(({ id }) => id)
  const left = { ...settings, mailing_list_ids: ids.filter((id) => id !== mailingListId) }
  await context.db
    .updateTable('sync_remotes')
    .set({ settings: JSON.stringify(left) })
    .where('id', '=', row.id)
    .execute()
  await deleteAgreedList(context, { remoteId: row.id, mailingListId })
}

export function answersOf({ answers }: RemoteRow): GivenAnswer[] {
  return JSON.parse(answers) as GivenAnswer[]
}

export async function updateRemote(
  context: CommandContext,
  row: RemoteRow,
  values: Partial<Omit<RemoteRow, 'id' | 'organization_id' | 'created_at'>>
): Promise<void> {
  await context.db
    .updateTable('sync_remotes')
    .set({ ...values, updated_at: context.now })
    .where('id', '=', row.id)
    .execute()
  recordOne(context, 'sync_remote', 'update', { organizationId: row.organization_id }, row.id)
}

export function nextRunAt(
  { clock }: CommandContext,
  { schedule, interval_minutes }: RemoteSettings
): number | null {
  return schedule === 'manual' ? null : clock + interval_minutes * 60_000
}

const requestRunsAfterChange: Command<{ organizationIds: number[] }, void> = async (
  context,
  { organizationIds }
) => {
  const rows = await context.db
    .selectFrom('sync_remotes')
    .selectAll()
    .where('organization_id', 'in', organizationIds)
    .where('state', 'in', ['idle', 'running'])
    .where('requested_at', 'is', null)
    .execute()
  for (const row of rows) {
    if (settingsOf(row).schedule !== 'on_change') continue
    await updateRemote(context, row, { requested_at: context.now })
  }
}

export const remoteCommands = {
  add: addRemote,
  change: changeRemote,
  remove: removeRemote,
  request: requestRun,
  pause: pauseRemote,
  answer: answerQuestion,
  noteChange: requestRunsAfterChange
}

import { ExplainedError } from '../base/errors.ts'
import { setTimeout as pause } from 'node:timers/promises'
import {
  fittingAnswers,
  type ListMatch,
  type Question,
  type Remote,
  type SyncRun,
  type Verification
} from '../sync/schema.ts'
import { formatCount } from '../base/figures.ts'
import { answeringCommand, commonUsage, type Printed } from './command.ts'
import { requireData } from './data-directory.ts'
import { type LocalApplication, withApplication } from './local-application.ts'
import { secretIn } from './secret-file.ts'

// `listwright sync …`: remote servers that the lists are mirrored to, beside an application that runs or without one.

const usage = `Usage: listwright sync add --url URL --organization ID --key-file FILE [--direction mirror|both]
                           [--lists all|1,2] [--name NAME] [--conflicts local|remote|ask]
                           [--schedule manual|interval|on_change] [--every MINUTES] [--limit N]
       listwright sync run|status|verify|pause|remove [--remote ID]
       listwright sync answer send-again|remove-here|leave-out [--remote ID]
       listwright sync answer key --key-file FILE [--remote ID]

add     adds a server with the same API; its key is read from the file (- for standard input)
run     syncs until nothing is pending, and prints what was sent and received
status  prints the state of each server
verify  compares both sides completely without changing anything; exits with status 1 if they differ
pause   stops until you start the next run
answer  answers a question from a run: what to do about people or a list missing on the server, or a new key
remove  removes the server; nothing changes on either side

${commonUsage}  --direction     mirror: what is here wins, and people who unsubscribed there are unsubscribed here (default)
                  both: changes go both ways, and --conflicts decides whose value is kept if both sides changed it
  --schedule      when to sync automatically (default: manual, only when you start it)
  --limit N       maximum requests per second
`

const options = {
  remote: { type: 'string' },
  url: { type: 'string' },
  organization: { type: 'string' },
  'key-file': { type: 'string' },
  direction: { type: 'string' },
  conflicts: { type: 'string' },
  lists: { type: 'string' },
  name: { type: 'string' },
  schedule: { type: 'string' },
  every: { type: 'string' },
  limit: { type: 'string' }
} as const

type Values = Partial<Record<keyof typeof options, string>>

export const syncCommand = answeringCommand(usage, options, async (values, [name = '', ...rest]) => {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action || rest.length > (action === answer ? 1 : 0)) {
    throw new Error(`sync needs one of ${Object.keys(actions).join(', ')}; see listwright sync --help`)
  }
  // A server can be added to an empty application; everything else is about one that has data.
  if (action !== add) requireData(values['data-dir'])
  return withApplication(values['data-dir'], 'syncs', (application) => action(application, values, rest[0]))
})

type Action = (application: LocalApplication, values: Values, argument?: string) => Promise<Printed>

const actions: Record<string, Action> = {
  add,
  run,
  status,
  verify,
  pause: pauseRemote,
  answer,
  remove
}

async function add({ call }: LocalApplication, values: Values): Promise<Printed> {
  const input = {
    base_url: required(values, 'url', 'add'),
    organization_id: wholeNumber('organization', required(values, 'organization', 'add')),
    api_key: readKey(required(values, 'key-file', 'add')),
    ...(values.name !== undefined && { name: values.name }),
    ...(values.direction !== undefined && { direction: values.direction }),
    ...(values.conflicts !== undefined && { conflicts: values.conflicts }),
    ...(values.schedule !== undefined && { schedule: values.schedule }),
    ...(values.every !== undefined && { interval_minutes: wholeNumber('every', values.every) }),
    ...(values.limit !== undefined && { requests_per_second: wholeNumber('limit', values.limit) }),
    mailing_list_ids: chosenLists(values.lists ?? 'all')
  }
  // A wrong address or key is reported before anything is stored.
  const matches = await call<ListMatch[]>('POST', '/remotes/preview', input)
  const { id, name } = await call<Remote>('POST', '/remotes', input)
  const sentences =
    matches.length === 0 ? ['  nothing yet: there are no lists here'] : matches.map(matchSentence)
  return {
    json: { remote: id },
    text: [`"${name}" was added as server ${id}. A run will do this:`, ...sentences].join('\n')
  }
}

function readKey(path: string): string {
  return secretIn('key-file', 'key', path).trim()
}

function matchSentence({ name, their_id, subscribers, their_subscribers, unlike_fields }: ListMatch): string {
  const people = `${formatCount(subscribers)} subscribers here`
  const there =
    their_id === null
      ? 'created there'
      : `the list ${their_id} there, with ${formatCount(their_subscribers ?? 0)} subscribers`
  const unlike =
    unlike_fields.length === 0
      ? ''
      : `; not mirrored, because their types differ: ${unlike_fields.join(', ')}`
  return `  ${name} (${people}): ${there}${unlike}`
}

/**
 * Number of further runs that may follow one that left changes pending, since changes may arrive all the
 * time.
 */
const maxRuns = 10

async function run(application: LocalApplication, values: Values): Promise<Printed> {
  const { id, last_run } = await chosenRemote(application, values)
  const total = { pushed: {}, pulled: {}, refused: 0, conflicts: 0 }
  let before = last_run?.id ?? 0
  for (let runs = 1; runs <= maxRuns; runs++) {
    await application.call('POST', `/remotes/${id}/run`)
    const { remote, ended } = await endOfRun(application, id, before)
    if (ended.outcome !== 'finished') {
      if (ended.fault !== null && remote.question === null) throw new ExplainedError(ended.fault)
      const why = ended.message ?? `The run ended: ${String(ended.outcome)}.`
      throw new Error(remote.question === null ? why : `${why} ${howToAnswer(remote.question)}`)
    }
    addCounts(total.pushed, ended.pushed)
    addCounts(total.pulled, ended.pulled)
    total.refused += ended.refused
    total.conflicts += ended.conflicts
    before = ended.id
    if (Object.keys(remote.pending).length === 0) break
  }
  return { json: total, text: resultText(total) }
}

function addCounts(total: Record<string, number>, counts: Record<string, number>): void {
  for (const [kind, records] of Object.entries(counts)) total[kind] = (total[kind] ?? 0) + records
}

function resultText(total: Pick<SyncRun, 'pushed' | 'pulled' | 'refused' | 'conflicts'>): string {
  const counted = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(
        ([kind, records]) =>
          `${formatCount(records)} ${(kindNames[kind] ?? [kind, kind])[records === 1 ? 0 : 1]}`
      )
      .join(', ') || 'nothing'
  return [
    `Sent: ${counted(total.pushed)}. Received: ${counted(total.pulled)}.`,
    ...(total.refused > 0
      ? [`Refused: ${formatCount(total.refused)}; the Sync page shows the reasons.`]
      : []),
    ...(total.conflicts > 0
      ? [`Changed on both sides: ${formatCount(total.conflicts)}; the Sync page shows both values.`]
      : [])
  ].join('\n')
}

const kindNames: Record<string, [one: string, many: string]> = {
  mailing_list: ['list', 'lists'],
  custom_field: ['custom field', 'custom fields'],
  subscriber: ['subscriber', 'subscribers'],
  segment: ['segment', 'segments'],
  template: ['template', 'templates'],
  campaign: ['campaign', 'campaigns'],
  suppression_list: ['suppression list', 'suppression lists'],
  suppressed_address: ['suppressed address', 'suppressed addresses']
}

/** Milliseconds between two looks at a run. */
const lookInterval = 200

async function endOfRun(
  { call }: LocalApplication,
  id: number,
  before: number
): Promise<{ remote: Remote; ended: SyncRun }> {
  for (;;) {
    const remote = await call<Remote>('GET', `/remotes/${id}`)
    const ended = remote.last_run
    const isOver = remote.state !== 'running' && !remote.is_requested
    if (ended && ended.id > before && ended.outcome !== null && isOver) return { remote, ended }
    if (remote.state === 'paused') throw new Error('The sync was paused in the meantime.')
    await pause(lookInterval)
  }
}

async function status({ call }: LocalApplication, values: Values): Promise<Printed> {
  const all = await call<Remote[]>('GET', '/remotes')
  const remotes = values.remote === undefined ? all : [remoteNamed(all, values.remote)]
  return {
    json: { remotes },
    text:
      remotes.length === 0
        ? 'No server is set up. See: listwright sync --help'
        : remotes.map(statusText).join('\n')
  }
}

function statusText({
  id,
  name,
  base_url,
  state,
  message,
  question,
  last_run,
  refused,
  open_conflicts
}: Remote): string {
  const last = last_run ? `last run ${last_run.started_at}: ${last_run.outcome ?? 'running'}` : 'no run yet'
  return [
    `${id}  ${name} (${base_url}): ${state}, ${last}, ${formatCount(refused)} refused, ${formatCount(open_conflicts)} to decide`,
    ...(message === null ? [] : [`   ${message}`]),
    ...(question === null ? [] : [`   ${howToAnswer(question)}`])
  ].join('\n')
}

async function verify(application: LocalApplication, values: Values): Promise<Printed> {
  const { id } = await chosenRemote(application, values)
  const found = await application.call<Verification>('POST', `/remotes/${id}/verify`)
  const sentences = found.differences.map(
    ({ kind, name, field, local, remote }) =>
      `  ${(kindNames[kind] ?? [kind])[0]} ${name}${field === null ? '' : `, ${field}`}: ` +
      `${shown(local)} here, ${shown(remote)} there`
  )
  return {
    json: found,
    text: found.equal
      ? 'Both sides match.'
      : [`Differences: ${formatCount(found.number_of_differences)}`, ...sentences].join('\n'),
    status: found.equal ? 0 : 1
  }
}

function shown(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : JSON.stringify(value)
}

async function pauseRemote(application: LocalApplication, values: Values): Promise<Printed> {
  const { id, name } = await chosenRemote(application, values)
  const { state } = await application.call<Remote>('POST', `/remotes/${id}/pause`)
  return { json: { remote: id, state }, text: `"${name}" is paused until you start its next run.` }
}

/** Returns the possible answers to a question as typed; without a question a new key can be entered. */
function typedAnswers(question: Question | null): string[] {
  if (question === null || question === 'key') return ['key']
  return fittingAnswers[question].map((each) => each.replace('_', '-'))
}

function howToAnswer(question: Question): string {
  return question === 'key'
    ? 'Answer with: sync answer key --key-file FILE'
    : `Answer with: sync answer ${typedAnswers(question).join(', or sync answer ')}`
}

async function answer(application: LocalApplication, values: Values, given = ''): Promise<Printed> {
  const { id, name, question } = await chosenRemote(application, values)
  const fitting = typedAnswers(question)
  if (!fitting.includes(given)) {
    throw new Error(
      question === null
        ? `"${name}" is not asking anything. To give it a new key: sync answer key --key-file FILE`
        : `sync answer needs ${fitting.join(' or ')}, not "${given}"`
    )
  }
  const { state } =
    given === 'key'
      ? await application.call<Remote>('PUT', `/remotes/${id}`, {
          api_key: readKey(required(values, 'key-file', 'answer key'))
        })
      : await application.call<Remote>('POST', `/remotes/${id}/answer`, { answer: given.replace('-', '_') })
  return { json: { remote: id, state }, text: `"${name}" continues with its next run: sync run` }
}

async function remove(application: LocalApplication, values: Values): Promise<Printed> {
  const { id, name } = await chosenRemote(application, values)
  await application.call('DELETE', `/remotes/${id}`)
  return { json: { remote: id }, text: `"${name}" was removed. Nothing was changed on either side.` }
}

/** The server that --remote names, or the only one there is. */
async function chosenRemote({ call }: LocalApplication, { remote: wanted }: Values): Promise<Remote> {
  const remotes = await call<Remote[]>('GET', '/remotes')
  const [only, ...others] = remotes
  if (!only) throw new Error('No server is set up. See: listwright sync --help')
  if (wanted === undefined && others.length === 0) return only
  return remoteNamed(remotes, wanted)
}

function remoteNamed(remotes: Remote[], wanted: string | undefined): Remote {
  const listed = remotes.map(({ id, name }) => `${id} (${name})`).join(', ')
  const found = remotes.find(({ id }) => String(id) === wanted)
  if (!found) throw new Error(`--remote must be one of: ${listed}`)
  return found
}

function required(values: Values, name: 'url' | 'organization' | 'key-file', action: string): string {
  const value = values[name]
  if (value === undefined || value === '')
    throw new Error(`sync ${action} needs --${name}; see listwright sync --help`)
  return value
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}"`)
  return Number(text)
}

/** @returns null for all */
function chosenLists(text: string): number[] | null {
  return text === 'all' ? null : text.split(',').map((id) => wholeNumber('lists', id.trim()))
}

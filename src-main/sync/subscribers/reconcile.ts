import { refusal } from '../../base/refusal.ts'
import type { SubscriberChanges } from '../../api/subscribers/schema.ts'
import type { AgreedRow, Application, IdentifiedRow } from '../commands/subscribers.ts'
import { answers } from '../answers.ts'
import { isFault, RemoteFault } from '../remote-fault.ts'
import type { Side } from '../schema.ts'
import {
  answerFor,
  deleteRefusal,
  type Named,
  type NotedConflict,
  type NotedRefusal,
  recordNewConflicts,
  noteRefusals,
  markDecisionsApplied,
  versionOf,
  wasRefused
} from '../run-context.ts'
import { inParallel } from '../in-parallel.ts'
import { type Agreed, agreedOn, isAsAgreed, isSamePacked, packAgreed } from './agreed.ts'
import {
  countSubscribers,
  type ListRun,
  localKeysOf,
  type LocalPerson,
  type Meeting,
  namedSubscriber
} from './list-run.ts'
import { mergePeople, type PersonConflict } from './merge-people.ts'
import { isRemoved } from './statuses.ts'
import {
  nameOfSlot,
  type Person,
  requestOf,
  samePerson,
  sameValue,
  slots,
  type TheirSubscriber,
  theirPerson
} from './person.ts'

/** Subscribers that one command changes: some 30 ms of work. */
const appliedAtOnce = 50

class Outcome {
  readonly isFresh: boolean
  /** Requests to the remote. Each one adds the results of its response to the other lists of this class. */
  readonly calls: (() => Promise<void>)[] = []
  readonly applications: (Application & { person: Person; recordId: number })[] = []
  readonly agreed: AgreedRow[] = []
  /** Subscribers whose remote id is new and nothing else. */
  readonly identified: IdentifiedRow[] = []
  readonly forgotten: number[] = []
  readonly conflicts: NotedConflict[] = []
  readonly refusals: NotedRefusal[] = []
  readonly decided: number[] = []
  /**
   * Subscribers that must be read again before they are changed, with the fault of the failed attempt, if
   * there was one.
   */
  readonly again: { localId: number; fault: RemoteFault | null }[] = []

  constructor(isFresh: boolean) {
    this.isFresh = isFresh
  }
}

export type LeftToSend = Outcome['again']

/**
 * Reconciles subscribers of either side. Changes of the remote are sent first, several calls at once; then
 * this side is changed, and the agreed state is stored in the same transaction. What is cut off is found
 * again by comparing: nothing is sent twice.
 * @param isFresh true if the remote was read just now. A change sends every value, so it is only sent after a
 * fresh read, and not repeated without one
 * @returns the subscribers to change after reading them again
 */
export async function reconcile(
  listRun: ListRun,
  meetings: readonly Meeting[],
  isFresh: boolean
): Promise<LeftToSend> {
  const outcome = new Outcome(isFresh)
  for (const meeting of meetings) look(listRun, meeting, outcome)
  await inParallel(outcome.calls, (call) => call())
  await applyHere(listRun, outcome)
  const { run, syncListId } = listRun
  if (outcome.agreed.length > 0) {
    await run.client.run('syncs.noteSubscribers', { syncListId, rows: outcome.agreed })
  }
  if (outcome.identified.length > 0) {
    await run.client.run('syncs.identifySubscribers', { syncListId, rows: outcome.identified })
  }
  if (outcome.forgotten.length > 0) {
    await run.client.run('syncs.deleteAgreedSubscribers', { syncListId, localIds: outcome.forgotten })
  }
  await recordNewConflicts(run, outcome.conflicts)
  if (outcome.decided.length > 0) await markDecisionsApplied(run, 'subscriber', outcome.decided)
  await noteRefusals(run, outcome.refusals)
  return outcome.again
}

function look(listRun: ListRun, meeting: Meeting, outcome: Outcome): void {
  const { local, agreed, theirs } = meeting
  if (local && theirs) return merge(listRun, local, theirs, meeting.agreed, outcome)
  if (local && agreed) return removedThere(listRun, local, agreed, outcome)
  if (local) return create(listRun, local, outcome)
  if (agreed && theirs) return removedHere(listRun, agreed, theirs, outcome)
  if (agreed) return void outcome.forgotten.push(agreed.localId)
  if (theirs && listRun.run.rules.direction === 'both') createHere(listRun, theirs, outcome)
}

function merge(
  listRun: ListRun,
  local: LocalPerson,
  theirs: NonNullable<Meeting['theirs']>,
  agreed: Meeting['agreed'],
  outcome: Outcome
): void {
  const { run, decisions } = listRun
  const decided = decisions.get(local.id)
  const before = agreed?.hashes ?? null
  const isAsBefore =
    before !== null && !decided && samePerson(local.person, theirs.person) && isAsAgreed(local.person, before)
  if (isAsBefore) {
    if (agreed?.theirId !== theirs.id) outcome.identified.push([local.id, theirs.id])
    return
  }
  const merged = mergePeople(local.person, theirs.person, before, run.rules, decided)

  /**
   * Records the result.
   * @param refused the values that the remote should have and those it has instead
   */
  const settle = (refused: { wanted: Person; is: Person } | null): void => {
    const hashes = refused ? withoutRefused(merged.agreed, before, refused) : merged.agreed
    const packed = packAgreed(hashes)
    if (!refused) {
      if (decided) outcome.decided.push(local.id)
      outcome.conflicts.push(...merged.conflicts.map((conflict) => notedConflict(listRun, local, conflict)))
    }
    if (merged.local) {
      outcome.applications.push({
        is: 'update',
        localId: local.id,
        updatedAt: local.updatedAt,
        theirId: theirs.id,
        subscriber: changesOf(listRun, local.person, merged.local),
        agreed: packed,
        person: merged.local,
        recordId: local.id
      })
    } else if (before && (agreed?.theirId !== theirs.id || !isSamePacked(packed, packAgreed(before)))) {
      outcome.agreed.push([local.id, theirs.id, packed])
    } else if (!before && !refused) outcome.agreed.push([local.id, theirs.id, packed])
  }

  const wanted = merged.remote
  if (!wanted) return settle(null)
  const named = namedSubscriber(listRun, local.id, local.person)
  const wasRefusedBefore = wasRefused(run, 'remote', named, changeTo(wanted))
  if (!outcome.isFresh) {
    // The remote would refuse the same change again, so the subscriber is not read.
    if (wasRefusedBefore && !isToBeSilenced(wanted, theirs.person))
      return settle({ wanted, is: theirs.person })
    return void outcome.again.push({ localId: local.id, fault: null })
  }
  outcome.calls.push(async () => {
    const sent = wasRefusedBefore
      ? 'refused'
      : await send(
          listRun,
          outcome,
          local.id,
          wanted,
          () => update(listRun, theirs.id, wanted),
          changeTo(wanted)
        )
    if (sent === 'done') {
      await deleteAcceptedRefusal(listRun, named)
      settle(null)
    } else if (sent === 'refused') {
      settle({ wanted, is: await silence(listRun, outcome, local.id, theirs, wanted) })
    }
  })
}

/**
 * Sends the status of a subscriber who must not be mailed in a request of its own, so that it arrives even if
 * the remote refuses other values.
 * @returns the subscriber as the remote has it then
 */
async function silence(
  listRun: ListRun,
  outcome: Outcome,
  localId: number,
  theirs: NonNullable<Meeting['theirs']>,
  wanted: Person
): Promise<Person> {
  if (!isToBeSilenced(wanted, theirs.person)) return theirs.person
  const silenced = new Map(theirs.person).set(slots.status, wanted.get(slots.status) ?? '')
  const call = () => update(listRun, theirs.id, silenced)
  const refusals = outcome.refusals.length
  if ((await send(listRun, outcome, localId, silenced, call)) === 'done') {
    countSubscribers(listRun, 'pushed')
    return silenced
  }
  // The subscriber is listed already with a reason that covers more of its values.
  outcome.refusals.length = refusals
  return theirs.person
}

/** True if the subscriber must not be mailed any more and the remote does not know it. */
function isToBeSilenced(wanted: Person, is: Person): boolean {
  const status = wanted.get(slots.status)
  return isRemoved(String(status)) && is.get(slots.status) !== status
}

function withoutRefused(
  merged: Agreed,
  before: Agreed | null,
  { wanted, is }: { wanted: Person; is: Person }
): Agreed {
  const agreed = new Map(merged)
  for (const slot of new Set([...wanted.keys(), ...is.keys()])) {
    if (sameValue(wanted.get(slot), is.get(slot))) continue
    const hash = before?.get(slot)
    if (hash === undefined) agreed.delete(slot)
    else agreed.set(slot, hash)
  }
  return agreed
}

function notedConflict(
  { list, common }: ListRun,
  { id, person }: LocalPerson,
  { slot, local, remote, keep }: PersonConflict
): NotedConflict {
  return {
    kind: 'subscriber',
    mailingListId: list.id,
    localId: id,
    name: String(person.get(slots.email)),
    field: nameOfSlot(slot, common),
    local,
    remote,
    keep
  }
}

/**
 * Builds the conflict of a subscriber that one side deleted and the other changed.
 * @param by the side that deleted
 */
function removalConflict(
  { list }: ListRun,
  { id, person }: Pick<LocalPerson, 'id' | 'person'>,
  by: Side,
  keep: Side
): NotedConflict {
  const name = String(person.get(slots.email))
  const [local, remote] = by === 'remote' ? [name, null] : [null, name]
  return {
    kind: 'subscriber',
    mailingListId: list.id,
    localId: id,
    name,
    field: 'removed',
    local,
    remote,
    keep
  }
}

function create(listRun: ListRun, { id, person }: LocalPerson, outcome: Outcome): void {
  const named = namedSubscriber(listRun, id, person)
  if (wasRefused(listRun.run, 'remote', named, [...person])) return
  outcome.calls.push(async () => {
    let theirId: number | null = null
    const sent = await send(listRun, outcome, id, person, async () => {
      theirId = await createThere(listRun, person).catch((error: unknown) => {
        if (!isFault(error, 'refused') || listRun.refusedOnce.has(id)) throw error
        listRun.refusedOnce.add(id)
        outcome.again.push({ localId: id, fault: null })
        return null
      })
    })
    if (sent !== 'done' || theirId === null) return
    await deleteAcceptedRefusal(listRun, named)
    outcome.agreed.push([id, theirId, packAgreed(agreedOn(person))])
  })
}

function createHere(
  listRun: ListRun,
  { id, person }: NonNullable<Meeting['theirs']>,
  outcome: Outcome
): void {
  if (wasRefused(listRun.run, 'local', namedSubscriber(listRun, id, person), [...person])) return
  outcome.applications.push({
    is: 'create',
    theirId: id,
    keys: localKeysOf(listRun, person),
    subscriber: requestOf(person, listRun.common, ({ field }) => field.name) as SubscriberChanges,
    agreed: packAgreed(agreedOn(person)),
    person,
    recordId: id
  })
}

/**
 * Handles a subscriber that the remote deleted. If it was changed here since, it is sent again unless the
 * remote wins.
 */
function removedThere(
  listRun: ListRun,
  local: LocalPerson,
  agreed: NonNullable<Meeting['agreed']>,
  outcome: Outcome
): void {
  const { direction, conflicts } = listRun.run.rules
  const { id, person, updatedAt } = local
  const isChanged = !isAsAgreed(person, agreed.hashes)
  const isSentAgain = answerFor(listRun.run, 'gone', listRun.list.id) === 'send_again'
  const keepsLocal = isSentAgain || (isChanged && (direction === 'mirror' || conflicts !== 'remote'))
  if (isChanged && !isSentAgain) {
    const keep = keepsLocal ? 'local' : 'remote'
    outcome.conflicts.push(removalConflict(listRun, local, 'remote', keep))
  }
  if (keepsLocal) return create(listRun, local, outcome)
  outcome.applications.push({ is: 'delete', localId: id, updatedAt, person, recordId: id })
}

/**
 * Handles a subscriber that was deleted here. If the remote changed it since, it comes back if the remote
 * wins.
 */
function removedHere(
  listRun: ListRun,
  agreed: NonNullable<Meeting['agreed']>,
  theirs: NonNullable<Meeting['theirs']>,
  outcome: Outcome
): void {
  const { direction, conflicts } = listRun.run.rules
  const isChanged = !isAsAgreed(theirs.person, agreed.hashes)
  const comesBack = isChanged && direction === 'both' && conflicts === 'remote'
  if (isChanged) {
    const person = { id: agreed.localId, person: theirs.person }
    outcome.conflicts.push(removalConflict(listRun, person, 'local', comesBack ? 'remote' : 'local'))
  }
  if (comesBack) {
    outcome.forgotten.push(agreed.localId)
    return createHere(listRun, theirs, outcome)
  }
  outcome.calls.push(async () => {
    const sent = await send(listRun, outcome, agreed.localId, theirs.person, () =>
      listRun.run.api.delete(`/mailing_lists/${listRun.theirListId}/subscribers/${theirs.id}`)
    )
    if (sent !== 'done') return
    await deleteAcceptedRefusal(listRun, namedSubscriber(listRun, agreed.localId, theirs.person))
    outcome.forgotten.push(agreed.localId)
  })
}

/**
 * Makes a call that the remote may refuse.
 * @returns done, refused, or that the subscriber must be read again
 */
async function send(
  listRun: ListRun,
  outcome: Outcome,
  localId: number,
  person: Person,
  call: () => Promise<void>,
  content: unknown[] = [...person]
): Promise<'done' | 'refused' | 'again'> {
  const named = namedSubscriber(listRun, localId, person)
  try {
    await call()
    return 'done'
  } catch (error) {
    // A subscriber deleted there in the meantime is found by the next scan.
    if (isFault(error, 'not_found')) {
      listRun.needsScan = true
      return 'again'
    }
    if (isFault(error, 'unavailable')) {
      outcome.again.push({ localId, fault: error })
      return 'again'
    }
    if (!isFault(error, 'refused')) throw error
    outcome.refusals.push({
      ...named,
      side: 'remote',
      fault: error.refusal,
      version: versionOf(content)
    })
    return 'refused'
  }
}

async function deleteAcceptedRefusal(listRun: ListRun, named: Named): Promise<void> {
  countSubscribers(listRun, 'pushed')
  await deleteRefusal(listRun.run, 'remote', named)
}

async function createThere({ run, theirListId, common }: ListRun, person: Person): Promise<number> {
  const { data } = await run.api.post<TheirSubscriber>(
    `/mailing_lists/${theirListId}/subscribers`,
    answers.subscriber,
    {
      // A subscriber added here did not sign up for the messages that the remote sends to new subscribers.
      subscriber: { ...requestOf(person, common, ({ theirName }) => theirName), skip_autoresponders: true }
    }
  )
  return requireSame(data, person).id
}

async function update({ run, theirListId, common }: ListRun, theirId: number, person: Person): Promise<void> {
  const { data } = await run.api.putOnce<TheirSubscriber>(
    `/mailing_lists/${theirListId}/subscribers/${theirId}`,
    answers.subscriber,
    { subscriber: requestOf(person, common, ({ theirName }) => theirName) }
  )
  if (requireSame(data, person).id !== theirId) throw lie(person)
  // Every key is sent, so an answer without the new status did not change it.
  if (theirPerson(requireSame(data, person), common).get(slots.status) !== person.get(slots.status))
    throw lie(person)
}

function requireSame(data: TheirSubscriber, person: Person): TheirSubscriber {
  const email = String(person.get(slots.email))
  if (String(data.email).trim().toLowerCase() === email.trim().toLowerCase()) return data
  throw lie(person)
}

function lie(person: Person): RemoteFault {
  const email = String(person.get(slots.email))
  return new RemoteFault('unavailable', refusal('answered_with_other_data', { email }))
}

/** Returns the key under which a refused change is recorded; a refused creation has another one. */
function changeTo(person: Person): unknown[] {
  return ['change', ...person]
}

function changesOf({ common }: ListRun, before: Person, after: Person): SubscriberChanges {
  const whole = requestOf(after, common, ({ field }) => field.name)
  const changed = new Set(
    [...new Set([...before.keys(), ...after.keys()])]
      .filter((slot) => JSON.stringify(before.get(slot)) !== JSON.stringify(after.get(slot)))
      .map((slot) => nameOfSlot(slot, common))
  )
  const { custom_fields: values, ...attributes } = whole
  return {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => changed.has(name))),
    custom_fields: Object.fromEntries(Object.entries(values).filter(([name]) => changed.has(name)))
  } as SubscriberChanges
}

async function applyHere(listRun: ListRun, outcome: Outcome): Promise<void> {
  const { run, syncListId, list } = listRun
  const scope = { organizationId: run.organizationId, timeZone: run.timeZone, mailingListId: list.id }
  for (let at = 0; at < outcome.applications.length; at += appliedAtOnce) {
    const some = outcome.applications.slice(at, at + appliedAtOnce)
    const refused = await run.client.run('syncs.applySubscribers', {
      syncListId,
      scope,
      changes: some.map(({ person: _, recordId: __, ...application }) => application)
    })
    for (const { at: index, fault } of refused) {
      const application = some[index]
      if (!application) continue
      const { person, recordId } = application
      outcome.refusals.push({
        ...namedSubscriber(listRun, recordId, person),
        side: 'local',
        fault,
        version: versionOf([...person])
      })
    }
    countSubscribers(listRun, 'pulled', some.length - refused.length)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { connections, retryWaits } from '../remote-api.ts'
import { answers } from '../answers.ts'
import { isFault } from '../remote-fault.ts'
import { isAsAgreed } from './agreed.ts'
import { agreedBy, agreedOf, keyOf, type ListRun, localPeople, type Meeting, theirs } from './list-run.ts'
import { slots, type TheirSubscriber } from './person.ts'
import { type LeftToSend, reconcile } from './reconcile.ts'

/**
 * Subscribers that are read by one request right before they are changed. A change sends every value, so what
 * others change in between is overwritten, and the API has no conditional update. So the batch is not larger
 * than what can be changed at once.
 */
const askedAtOnce = connections

/**
 * Sends changed subscribers, reading each from the remote first.
 * @param who only those who changed here since the last agreed state, or all
 */
export async function pushChanges(
  listRun: ListRun,
  ids: readonly number[],
  who: 'changed' | 'all' = 'changed'
): Promise<void> {
  for (let at = 0; at < ids.length; at += askedAtOnce) {
    let some = ids.slice(at, at + askedAtOnce)
    for (let attempt = 0; some.length > 0; attempt++) {
      listRun.run.signal.throwIfAborted()
      const left = await pushSome(listRun, some, attempt === 0 ? who : 'all')
      const wait = retryWaits[attempt]
      const [failed] = left.flatMap(({ fault }) => fault ?? [])
      if (failed && wait === undefined) throw failed
      // A failed change is only repeated after reading the subscriber: it may have arrived, and others may
      // have changed it since.
      if (failed) await pause(wait, undefined, { signal: listRun.run.signal })
      some = left.map(({ localId }) => localId)
    }
  }
}

async function pushSome(
  listRun: ListRun,
  ids: readonly number[],
  who: 'changed' | 'all'
): Promise<LeftToSend> {
  const people = await localPeople(listRun, ids)
  const agreed = await agreedBy(listRun, ids)
  const dirty: Pick<Meeting, 'local' | 'agreed'>[] = []
  for (const id of ids) {
    const local = people.get(id) ?? null
    const row = agreed.get(id)
    const before = row ? agreedOf(row) : null
    if (!local && !before) continue
    const isAgreed = local !== null && before !== null && isAsAgreed(local.person, before.hashes)
    if (isAgreed && who === 'changed' && !listRun.decisions.has(id)) continue
    // Only their email identified them on the remote, and it changed.
    if (!local && before?.theirId === null) listRun.needsScan = true
    else dirty.push({ local, agreed: before })
  }
  // A subscriber may have been deleted and added again: the old one is deleted there before the new one is
  // looked up.
  const [removed, present] = [dirty.filter(({ local }) => !local), dirty.filter(({ local }) => local)]
  return [...(await meet(listRun, removed)), ...(await meet(listRun, present))]
}

async function meet(
  listRun: ListRun,
  people: readonly Pick<Meeting, 'local' | 'agreed'>[]
): Promise<LeftToSend> {
  if (people.length === 0) return []
  const found = await askFor(listRun, people)
  const meetings = people.map((each, index) => ({ ...each, theirs: found[index] ?? null }))
  return reconcile(
    listRun,
    meetings.filter((meeting) => {
      // A scan determines whether only these subscribers were deleted on the remote, or all of its data.
      const isGone = meeting.local !== null && meeting.agreed !== null && meeting.theirs === null
      if (isGone) listRun.needsScan = true
      return !isGone
    }),
    true
  )
}

/** Returns the remote's versions of some subscribers, in the same order. */
async function askFor(
  listRun: ListRun,
  people: readonly Pick<Meeting, 'local' | 'agreed'>[]
): Promise<Meeting['theirs'][]> {
  const names = people.map(({ local, agreed }) =>
    agreed?.theirId != null
      ? String(agreed.theirId)
      : encodeURIComponent(String(local?.person.get(slots.email) ?? ''))
  )
  const answers = await subscribersThere(listRun, names)
  const byId = new Map(answers.map((answer) => [answer.id, theirs(listRun, answer)]))
  const byKey = new Map([...byId.values()].map((each) => [keyOf(listRun, each.person), each]))
  // A subscriber that was deleted there and added again has another id: the key identifies it.
  const gone = people.flatMap(({ local, agreed }) =>
    local && agreed?.theirId != null && !byId.has(agreed.theirId) ? [local.person] : []
  )
  if (gone.length > 0) {
    const emails = gone.map((person) => encodeURIComponent(String(person.get(slots.email) ?? '')))
    for (const answer of await subscribersThere(listRun, emails)) {
      const again = theirs(listRun, answer)
      byKey.set(keyOf(listRun, again.person), again)
    }
  }
  return people.map(({ local, agreed }) => {
    const known = agreed?.theirId == null ? undefined : byId.get(agreed.theirId)
    return known ?? (local && byKey.get(keyOf(listRun, local.person))) ?? null
  })
}

/**
 * A missing subscriber is answered with not_found by some remotes, and several with those that exist
 * (docs/api.md, "Subscribers").
 */
async function subscribersThere({ run, theirListId }: ListRun, names: string[]): Promise<TheirSubscriber[]> {
  try {
    const path = `/mailing_lists/${theirListId}/subscribers/${names.join(',')}`
    const { data } = await run.api.get<{ id: number }[] | null>(path, answers.found)
    // Invalid entries are left to a comparison of all subscribers, which reports them.
    return (data ?? []).filter((answer): answer is TheirSubscriber => answers.subscriber(answer) === null)
  } catch (error) {
    if (!isFault(error, 'not_found')) throw error
    return []
  }
}

import {
  commonOf,
  localValues,
  nameOfSlot,
  sameValue,
  type TheirSubscriber,
  theirValues,
  type Value,
  type Values
} from './subscribers/person.ts'
import { subscribersAfter } from '../api/subscribers/queries.ts'
import { answers } from './answers.ts'
import { linksOf } from './queries.ts'
import { customFields, fieldPairs } from './records/custom-fields.ts'
import { mailingLists } from './records/mailing-lists.ts'
import { isSame } from './records/merge-contents.ts'
import type { RecordKind, SyncRecord } from './records/mirror-records.ts'
import { forRecordsOfList } from './records/kinds.ts'
import { ifKnown, localAddresses, suppressionLists, theirAddresses } from './records/suppression.ts'
import type { Run } from './run-context.ts'
import type { Difference, Verification } from './schema.ts'
import { keyOfValues, type ListRun, localRowsLike } from './subscribers/list-run.ts'
import { subscriberPages } from './subscribers/pages.ts'
import { mailingListsOf } from '../api/mailing-lists/queries.ts'
import { type ListIds, listIdsOf } from './list-ids.ts'

const maxTold = 1000
const rowsAtOnce = 2000

class Differences {
  readonly told: Difference[] = []
  number = 0

  add(difference: Difference): void {
    this.number++
    if (this.told.length < maxTold) this.told.push(difference)
  }
}

/** Compares everything that is mirrored, value by value, and changes nothing on either side. */
export async function compareSides(run: Run): Promise<Verification> {
  const differences = new Differences()
  const lists = await compareRecords(run, mailingLists(run), differences)
  await compareRecords(run, customFields(run, null, null), differences)
  const rows = new Map((await mailingListsOf(run.reader, run.organizationId)).map((row) => [row.id, row]))
  const ids = listIdsOf(lists.map(({ local, theirs }) => [local.id, theirs.id]))
  for (const { local, theirs } of lists) {
    const row = rows.get(local.id)
    if (!row) continue
    await compareRecords(run, customFields(run, local.id, theirs.id), differences)
    const fields = await fieldPairs(run, local.id, theirs.id)
    const common = commonOf(
      fields,
      row.has_format === 1 && theirs.content['has_format'] === true,
      row.has_confirmed === 1 && theirs.content['has_confirmed'] === true
    )
    const listRun: ListRun = {
      run,
      syncListId: 0,
      list: row,
      theirListId: theirs.id,
      common,
      decisions: new Map(),
      needsScan: false,
      refusedOnce: new Set()
    }
    await compareSubscribers(listRun, differences)
    await forRecordsOfList(run, { localId: local.id, theirId: theirs.id }, ids, (kind) =>
      compareRecords(run, kind, differences)
    )
  }
  await compareSuppression(run, ids, differences)
  return {
    equal: differences.number === 0,
    differences: differences.told,
    number_of_differences: differences.number
  }
}

async function compareRecords<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  differences: Differences
): Promise<{ local: SyncRecord; theirs: Theirs }[]> {
  const links = await linksOf(run.reader, run.remoteId, kind.kind, kind.mailingListId)
  const theirIdOf = new Map(links.map(({ localId, theirId }) => [localId, theirId]))
  const remote = new Map((await kind.readRemote()).map((record) => [record.id, record]))
  const linkedIds = new Set(links.map(({ theirId }) => theirId))
  const locals = await kind.readLocal()
  const here = new Set(locals.map(({ id }) => id))
  for (const { localId, theirId } of links) {
    // If the remote has no call that removes such records, those that were deleted here stay there.
    const stays = !kind.removeRemote && !here.has(localId)
    if (theirId !== null && (stays || !(kind.concerns?.(localId) ?? true))) remote.delete(theirId)
  }
  const byKey = new Map(
    [...remote.values()]
      .filter(({ id }) => !linkedIds.has(id))
      .map((each) => [kind.keyOf(each.content), each])
  )
  const both: { local: SyncRecord; theirs: Theirs }[] = []
  for (const local of locals) {
    const name = kind.nameOf(local.content)
    const found = remote.get(theirIdOf.get(local.id) ?? -1) ?? byKey.get(kind.keyOf(local.content))
    if (!found) {
      differences.add({ kind: kind.kind, name, field: null, local: name, remote: null })
      continue
    }
    remote.delete(found.id)
    if (found.isSettled) continue
    both.push({ local, theirs: found })
    for (const [field, value] of Object.entries(local.content)) {
      const other = found.content[field]
      if (!isSame(value, other))
        differences.add({ kind: kind.kind, name, field, local: value, remote: other })
    }
  }
  // If only some lists are mirrored, other lists on the remote are no difference.
  if (kind.kind === 'mailing_list' && run.mailingListIds !== null) return both
  for (const { content, isSettled } of remote.values()) {
    if (isSettled) continue
    const name = kind.nameOf(content)
    differences.add({ kind: kind.kind, name, field: null, local: null, remote: name })
  }
  return both
}

async function compareSuppression(run: Run, ids: ListIds, differences: Differences): Promise<void> {
  const kind = suppressionLists(run, ids)
  const remote = await ifKnown(kind.readRemote())
  if (!remote) return
  const pairs = await compareRecords(run, { ...kind, readRemote: () => Promise.resolve(remote) }, differences)
  for (const { local, theirs } of pairs) {
    const mine = await localAddresses(run, local.id)
    const others = await theirAddresses(run, theirs.id)
    const differing = (name: string, isHere: boolean): void =>
      differences.add({
        kind: 'suppressed_address',
        name,
        field: null,
        local: isHere ? name : null,
        remote: isHere ? null : name
      })
    for (const address of mine) if (!others.has(address)) differing(address, true)
    for (const address of others) if (!mine.has(address)) differing(address, false)
  }
}

/**
 * Compares all remote subscribers with the local ones, page by page; then finds local ones that the remote
 * lacks.
 */
async function compareSubscribers(listRun: ListRun, differences: Differences): Promise<void> {
  const { run, list, common } = listRun
  const met = new IdSet()
  for await (const { data } of subscriberPages(listRun)) {
    const people = data.flatMap((answer) => {
      const wrong = answers.subscriber(answer)
      if (wrong === null) return [theirValues(answer as TheirSubscriber, common)]
      const name = `subscriber ${answer.id}`
      differences.add({ kind: 'subscriber', name, field: null, local: null, remote: `not valid: ${wrong}` })
      return []
    })
    const locals = await localRowsLike(listRun, people)
    for (const values of people) {
      const local = locals.get(keyOfValues(listRun, values))
      if (local) met.add(local.id)
      comparePeople(listRun, local ? localValues(local, common) : null, values, differences)
    }
  }
  for (let afterId = 0; ;) {
    run.signal.throwIfAborted()
    const rows = await subscribersAfter(run.reader, list.id, afterId, rowsAtOnce)
    for (const row of rows) {
      if (!met.has(row.id)) comparePeople(listRun, localValues(row, common), null, differences)
    }
    const last = rows.at(-1)
    if (!last) return
    afterId = last.id
  }
}

function comparePeople(
  { common }: ListRun,
  local: Values | null,
  remote: Values | null,
  differences: Differences
): void {
  const [email] = local ?? remote ?? []
  const difference = (field: string | null, mine: Value | null, other: Value | null): void =>
    differences.add({ kind: 'subscriber', name: String(email), field, local: mine, remote: other })
  if (!local || !remote) return difference(null, local && String(email), remote && String(email))
  for (const [at, slot] of common.slots.entries()) {
    const [mine, other] = [local[at], remote[at]]
    if (!sameValue(mine, other)) difference(nameOfSlot(slot, common), mine ?? null, other ?? null)
  }
}

/** Ids in one bit each: a million of them in 125 kB. */
class IdSet {
  #bits = new Uint8Array(1024)

  add(id: number): void {
    const at = id >>> 3
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2))
      grown.set(this.#bits)
      this.#bits = grown
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (id & 7))
  }

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0
  }
}

import { setImmediate } from 'node:timers/promises'
import type { SubscriberRow } from '../../api/subscribers/queries.ts'
import type { ChangedMembers } from '../../database/command.ts'
import { unpackJson } from '../../base/packed-json.ts'
import { changeLogRange, subscriberDecisions, syncListOf } from '../queries.ts'
import { type Run, wasRefused } from '../run-context.ts'
import type { Side } from '../schema.ts'
import { type ListRun, namedSubscriber } from './list-run.ts'
import { type Common, localValues, personOf, slotOf, slots, type Values } from './person.ts'
import { type NewPerson, pushByImport } from './push-by-import.ts'
import { pushChanges } from './push.ts'
import { scan } from './scan.ts'

/**
 * Limit of changed subscribers that are looked up by id, eight per request. With more, scanning the whole
 * remote list takes less time.
 */
const maxSingly = 5000
const maxCreatedSingly = 200
/** Subscribers of one read. */
const rowsAtOnce = 2000

interface List {
  local: ListRun['list']
  theirId: number
}

/**
 * Mirrors the subscribers of a list. Local changes are known from the change log; remote changes are found by
 * scanning all subscribers.
 * @param pullsAll scan the remote
 * @param onProgress called with the number done and the total
 */
export async function mirrorSubscribers(
  run: Run,
  { local: list, theirId }: List,
  common: Common,
  pullsAll: boolean,
  onProgress: (done: number, total: number | null) => Promise<void>
): Promise<void> {
  const syncListId = await run.client.run('syncs.openList', {
    remoteId: run.remoteId,
    mailingListId: list.id
  })
  const state = await syncListOf(run.reader, run.remoteId, list.id)
  const decisions = await decisionsBySlot(run, list.id, common)
  const listRun: ListRun = {
    run,
    syncListId,
    list,
    theirListId: theirId,
    common,
    decisions,
    needsScan: false,
    refusedOnce: new Set()
  }
  const log = await changeLogRange(run.reader)
  const fields = JSON.stringify([
    common.hasFormat,
    common.hasConfirmed,
    common.fields.map(({ field, theirName }) => [field.id, theirName])
  ])
  // If the change log does not go back far enough or other fields are compared now, all subscribers are
  // compared.
  const since =
    state?.fields === fields && (state.change_log_id ?? -1) >= log.first - 1 ? state.change_log_id : null
  const changed = since === null ? null : await changedIds(listRun, since, log.last)
  if (changed) await pushChanges(listRun, changed)
  const start = { changeLogId: log.last, fields }
  let comparedUpTo = log.last
  if (pullsAll || !changed || listRun.needsScan) {
    comparedUpTo = Math.min(comparedUpTo, await scan(listRun, start, onProgress))
    await pushNew(listRun, onProgress)
  }
  // Imports do not return the ids of the remote's subscribers, which identify them after any later change.
  if (listRun.needsScan) {
    await scan(listRun, start, onProgress)
    await pushNew(listRun, onProgress)
  }
  await run.client.run('syncs.noteList', { syncListId, changeLogId: comparedUpTo, fields })
}

async function decisionsBySlot(
  run: Run,
  listId: number,
  common: Common
): Promise<Map<number, Map<number, Side>>> {
  const slotByName = new Map<string, number>([
    ...Object.entries(slots),
    ...common.fields.map(({ field }) => [field.name, slotOf(field)] as const)
  ])
  const all = await subscriberDecisions(run.reader, run.remoteId, listId)
  return new Map(
    [...all].map(([id, fields]) => [
      id,
      new Map([...fields].map(([name, side]) => [slotByName.get(name) ?? 0, side]))
    ])
  )
}

/** The ids of subscribers that were changed since, also those who are gone; null where they are too many to be asked for. */
async function changedIds(
  { run, list, decisions, syncListId }: ListRun,
  since: number,
  until: number
): Promise<number[] | null> {
  const entries = await run.reader
    .selectFrom('change_log')
    .select(['first_id', 'last_id', 'members'])
    .where('id', '>', since)
    .where('id', '<=', until)
    .where('entity', '=', 'subscriber')
    .where('mailing_list_id', '=', list.id)
    // Changes that came from this remote are known on both sides.
    .where((where) =>
      where.or([where('via', 'is', null), where('via', '!=', 'sync'), where('cause_id', '!=', run.remoteId)])
    )
    .orderBy('id')
    .limit(maxSingly + 1)
    .execute()
  if (entries.length > maxSingly) return null
  const ids = new Set<number>([...decisions.keys(), ...(await askedAgain(run, list.id))])
  for (const { first_id, last_id, members } of entries) {
    if (members) {
      const { ids: some } = (await unpackJson(members)) as ChangedMembers
      for (const id of some) ids.add(id)
    } else if (last_id - first_id > maxSingly) {
      for (const id of await idsBetween(run, { listId: list.id, syncListId }, first_id, last_id)) ids.add(id)
    } else for (let id = first_id; id <= last_id; id++) ids.add(id)
    if (ids.size > maxSingly) return null
  }
  return [...ids].sort((a, b) => a - b)
}

async function idsBetween(
  { reader }: Run,
  { listId, syncListId }: { listId: number; syncListId: number },
  first: number,
  last: number
): Promise<number[]> {
  const rows = await reader
    .selectFrom('subscribers')
    .select('id')
    .where('mailing_list_id', '=', listId)
    .where('id', '>=', first)
    .where('id', '<=', last)
    .limit(maxSingly + 1)
    .union(
      reader
        .selectFrom('sync_subscribers')
        .select('local_id as id')
        .where('sync_list_id', '=', syncListId)
        .where('local_id', '>=', first)
        .where('local_id', '<=', last)
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** Subscribers that the remote refused and that are sent again unchanged, since a user requested it. */
async function askedAgain({ reader, remoteId }: Run, listId: number): Promise<number[]> {
  const rows = await reader
    .selectFrom('sync_refusals')
    .select('record_id')
    .where('remote_id', '=', remoteId)
    .where('side', '=', 'remote')
    .where('kind', '=', 'subscriber')
    .where('mailing_list_id', '=', listId)
    .where('version', '=', '')
    .execute()
  return rows.map(({ record_id }) => record_id)
}

async function pushNew(
  listRun: ListRun,
  onProgress: (done: number, total: number | null) => Promise<void>
): Promise<void> {
  const some = await newRows(listRun, 0, maxCreatedSingly + 1)
  if (some.length <= maxCreatedSingly) {
    return pushChanges(
      listRun,
      some.map(({ id }) => id)
    )
  }
  const total = await countNew(listRun)
  await pushByImport(listRun, newPeople(listRun), (done) => onProgress(done, total))
}

async function* newPeople(listRun: ListRun): AsyncGenerator<NewPerson> {
  for (let afterId = 0; ;) {
    listRun.run.signal.throwIfAborted()
    const rows = await newRows(listRun, afterId, rowsAtOnce)
    for (const row of rows) {
      const values = localValues(row, listRun.common)
      if (!wasRefusedAs(listRun, row.id, values)) yield { id: row.id, values }
    }
    const last = rows.at(-1)
    if (!last) return
    afterId = last.id
    // The rows are read synchronously, so this lets the pieces before them be sent.
    await setImmediate()
  }
}

function wasRefusedAs(listRun: ListRun, id: number, values: Values): boolean {
  const { run, common } = listRun
  if (run.refused.size === 0) return false
  const person = personOf(values, common)
  return wasRefused(run, 'remote', namedSubscriber(listRun, id, person), [...person])
}

function newRows(listRun: ListRun, afterId: number, limit: number): Promise<SubscriberRow[]> {
  return withoutAgreement(listRun)
    .selectAll('subscribers')
    .where('subscribers.id', '>', afterId)
    .orderBy('subscribers.id')
    .limit(limit)
    .execute()
}

async function countNew(listRun: ListRun): Promise<number> {
  const { people } = await withoutAgreement(listRun)
    .select((select) => select.fn.countAll<number>().as('people'))
    .executeTakeFirstOrThrow()
  return people
}

function withoutAgreement({ run, list, syncListId }: ListRun) {
  return run.reader
    .selectFrom('subscribers')
    .leftJoin('sync_subscribers', (join) =>
      join.onRef('local_id', '=', 'subscribers.id').on('sync_list_id', '=', syncListId)
    )
    .where('subscribers.mailing_list_id', '=', list.id)
    .where('local_id', 'is', null)
}

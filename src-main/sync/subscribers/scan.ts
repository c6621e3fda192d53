import { refusal } from '../../base/refusal.ts'
import { answers } from '../answers.ts'
import { shortened } from '../remote-api.ts'
import { isFault, RemoteFault } from '../remote-fault.ts'
import type { SubscriberRow } from '../../api/subscribers/queries.ts'
import type { IdentifiedRow } from '../commands/subscribers.ts'
import { type AgreementRow, syncListOf } from '../queries.ts'
import { answerFor, type NotedRefusal, noteRefusals, refusalKey, versionOf } from '../run-context.ts'
import { hashOf, isSamePacked, packValues } from './agreed.ts'
import {
  agreedBy,
  agreedByTheirs,
  agreedOf,
  keyOfValues,
  type ListRun,
  localPeople,
  localPersonOf,
  localRows,
  localRowsLike,
  type Meeting
} from './list-run.ts'
import {
  localValues,
  type Person,
  personOf,
  sameValue,
  slotOf,
  slots,
  theirValues,
  type TheirSubscriber,
  type Values
} from './person.ts'
import { perPage, type SubscriberPage, subscriberPages } from './pages.ts'
import { pushChanges } from './push.ts'
import { preferLocalValues, Losses } from './losses.ts'
import { type LeftToSend, reconcile } from './reconcile.ts'

const pagesPerNote = 20
/** The checkpoint of an interrupted scan. */
export interface ScanPosition {
  /** The next page's token; null = the first page. */
  token: string | null
  /** The last id of the remote that was looked at. */
  afterId: number
  /** The end of the change log when the scan began; later entries are compared by the next run. */
  changeLogId: number
  /** The custom fields that it compares by; with others it starts over. */
  fields: string
  /** The highest id of the remote that was known when it began: those above it are new, and not gone. */
  knownUpTo: number
}

/**
 * Scans all subscribers of the remote page by page and reconciles them: new, changed and deleted ones. Pages
 * are ordered by id, so a known id missing between two of them was deleted.
 * @param start the end of the change log and the compared fields
 * @param onProgress called with the number done and the total
 * @returns the end of the change log when the scan began, possibly in an earlier run
 */
export async function scan(
  listRun: ListRun,
  start: Pick<ScanPosition, 'changeLogId' | 'fields'>,
  onProgress: (done: number, total: number | null) => Promise<void>
): Promise<number> {
  const started = await startScan(listRun, start)
  const { pages } = started
  let { position, page } = started
  const orphans = await orphansOf(listRun)
  const losses = new Losses(listRun, await countLinked(listRun))
  const total = page?.num_records ?? null
  if (position.token === null && total !== null) losses.ask(total)
  let done = 0
  let identifying = Promise.resolve()
  for (let number = 1; page; number++) {
    const token: string | null = page.next_page_token == null ? null : String(page.next_page_token)
    const identified = await comparePage(listRun, page.data, position, token === null, { orphans, losses })
    // Stored while the next page is compared.
    await identifying
    identifying = identify(listRun, identified)
    identifying.catch(() => undefined)
    done += page.data.length
    position = { ...position, token, afterId: page.data.at(-1)?.id ?? position.afterId }
    // Collected losses exist only in this run: a later run that continues from here would miss them.
    const isAllDone = losses.gone.length === 0 && losses.changed.length === 0
    if (token !== null && isAllDone && number % pagesPerNote === 0) {
      await identifying
      await storePosition(listRun, position)
    }
    await onProgress(done, total)
    page = await nextOf(pages)
  }
  await identifying
  losses.ask()
  await carryOut(listRun, losses)
  await deleteUnmatched(listRun)
  await storePosition(listRun, null)
  return position.changeLogId
}

/** Continues at the stored position, or starts at the beginning if there is none or it cannot be used. */
async function startScan(
  listRun: ListRun,
  start: Pick<ScanPosition, 'changeLogId' | 'fields'>
): Promise<{ position: ScanPosition; pages: Pages; page: SubscriberPage | undefined }> {
  // Subscribers that an earlier scan missed may lie before its position.
  const mayResume = !listRun.needsScan
  listRun.needsScan = false
  const stored = await storedPosition(listRun)
  const knownUpTo = await highestKnown(listRun)
  const beginning: ScanPosition = { ...start, token: null, afterId: 0, knownUpTo }
  const position = mayResume && stored?.fields === start.fields ? stored : beginning
  const pages = subscriberPages(listRun, placeOf(position))
  const page = await firstOf(pages, position)
  if (page !== null) return { position, pages, page }
  // The remote may not accept the former page token any more.
  const fromStart = subscriberPages(listRun)
  return { position: beginning, pages: fromStart, page: await nextOf(fromStart) }
}

async function storedPosition({ run, list }: ListRun): Promise<ScanPosition | null> {
  const row = await syncListOf(run.reader, run.remoteId, list.id)
  return row?.scan ? (JSON.parse(row.scan) as ScanPosition) : null
}

/** @param position null = no scan is unfinished */
async function storePosition({ run, syncListId }: ListRun, position: ScanPosition | null): Promise<void> {
  await run.client.run('syncs.noteList', { syncListId, scan: position && JSON.stringify(position) })
}

/** Returns where paging continues; null = at the beginning. */
function placeOf({ token, afterId }: ScanPosition): { token: string; afterId: number } | null {
  return token === null ? null : { token, afterId }
}

async function carryOut(listRun: ListRun, { gone, changed }: Losses): Promise<void> {
  for (let at = 0; at < gone.length; at += perPage)
    await reconcileMissing(listRun, gone.slice(at, at + perPage))
  if (answerFor(listRun.run, 'changed', listRun.list.id) === 'send_again') preferLocalValues(listRun, changed)
  await pushChanges(listRun, changed, 'all')
}

type Pages = ReturnType<typeof subscriberPages>

async function nextOf(pages: Pages): Promise<SubscriberPage | undefined> {
  return (await pages.next()).value
}

/** @returns null where a page cannot be gone on from any more */
async function firstOf(pages: Pages, { token }: ScanPosition): Promise<SubscriberPage | undefined | null> {
  try {
    return await nextOf(pages)
  } catch (error) {
    if (token !== null && isFault(error, 'refused', 'not_found')) return null
    throw error
  }
}

async function identify({ run, syncListId }: ListRun, rows: IdentifiedRow[]): Promise<void> {
  if (rows.length > 0) await run.client.run('syncs.identifySubscribers', { syncListId, rows })
}

interface PageMatches {
  /** By remote id. */
  agreed: ReadonlyMap<number, AgreementRow>
  /** The local subscribers with an agreed state, by local id. */
  locals: ReadonlyMap<number, SubscriberRow>
  /** Local subscribers with the same key as one of the page that is not linked. */
  alike: ReadonlyMap<string, SubscriberRow>
  /** The agreed states of those alike, by local id. */
  agreedOfAlike: ReadonlyMap<number, AgreementRow>
}

async function matchesOf(
  listRun: ListRun,
  allIds: readonly number[],
  ids: readonly number[],
  values: readonly Values[]
): Promise<PageMatches> {
  const agreed = await agreedByTheirs(listRun, allIds)
  const alike = await localRowsLike(
    listRun,
    values.filter((_, at) => !agreed.has(ids[at] ?? 0))
  )
  const localIds = [...agreed.values()].map(({ local_id }) => local_id)
  const locals = await localRows(listRun, localIds)
  const alikeIds = [...alike.values()].map(({ id }) => id)
  return { agreed, locals, alike, agreedOfAlike: await agreedBy(listRun, alikeIds) }
}

/**
 * Compares a page with the local subscribers, and finds those that are missing before its first id.
 * @returns the ids of subscribers of which only the id is new
 */
async function comparePage(
  listRun: ListRun,
  page: readonly { id: number }[],
  position: ScanPosition,
  isLast: boolean,
  found: { orphans: Orphans; losses: Losses }
): Promise<IdentifiedRow[]> {
  // A subscriber whose entry is invalid still exists and is not missing.
  const allIds = page.map(({ id }) => id)
  const people = await validAnswers(listRun, page)
  const ids = people.map(({ id }) => id)
  const values = people.map((answer) => theirValues(answer, listRun.common))
  const matches = await matchesOf(listRun, allIds, ids, values)
  const identified: IdentifiedRow[] = []
  const replaced: Losses['gone'] = []
  const meetings: Meeting[] = []
  for (const [at, id] of ids.entries()) {
    const theirs = values[at] ?? []
    const match = matchOf(listRun, id, theirs, matches)
    const { known, local, linked } = match
    if (local && linked && isAsBefore(listRun, id, linked, local, theirs)) {
      if (linked.their_id === null) identified.push([local.id, id])
      continue
    }
    const met = { id, person: personOf(theirs, listRun.common) }
    const meeting = linkedMeeting(listRun, met, match)
    if (meeting) {
      if (!found.losses.gather(meeting)) meetings.push(meeting)
      continue
    }
    // The id belongs to another subscriber now, for example because the remote was restored from a backup.
    if (known) replaced.push({ localId: known.local_id, theirId: id })
    meetings.push(unlinkedMeeting(listRun, met, match.like, ids, matches, found.orphans))
  }
  found.losses.gone.push(...replaced)
  await send(listRun, await reconcile(listRun, meetings, false))
  await collectMissing(listRun, allIds, position, isLast, matches, found.losses)
  return identified
}

interface Match {
  /** The agreed state with this remote id. */
  known: AgreementRow | undefined
  /** The local subscriber with the same key. */
  like: SubscriberRow | undefined
  /** The agreed state of either. */
  linked: AgreementRow | undefined
  local: SubscriberRow | undefined
}

function matchOf(listRun: ListRun, id: number, theirs: Values, matches: PageMatches): Match {
  const known = matches.agreed.get(id)
  const like = matches.alike.size === 0 ? undefined : matches.alike.get(keyOfValues(listRun, theirs))
  const linked = known ?? (like && matches.agreedOfAlike.get(like.id))
  return { known, like, linked, local: known ? matches.locals.get(known.local_id) : like }
}

/** The meeting of linked subscribers; null if there is no link, or the id belongs to another subscriber now. */
function linkedMeeting(
  listRun: ListRun,
  met: NonNullable<Meeting['theirs']>,
  { known, local }: Match
): Meeting | null {
  if (!known) return null
  const agreed = agreedOf(known)
  if (isSomebodyElse(agreed, met.person)) return null
  return { local: local ? localPersonOf(listRun, local) : null, agreed, theirs: met }
}

/** Pairs a remote subscriber without a link with a local one of the same key, unless that has another counterpart. */
function unlinkedMeeting(
  listRun: ListRun,
  met: NonNullable<Meeting['theirs']>,
  like: SubscriberRow | undefined,
  ids: readonly number[],
  { agreedOfAlike }: PageMatches,
  orphans: Orphans
): Meeting {
  const other = like ? agreedOfAlike.get(like.id) : undefined
  const isTaken = other?.their_id != null && ids.includes(other.their_id) && other.their_id !== met.id
  if (!like || isTaken) {
    return { local: null, agreed: isTaken ? null : orphans.take(met.person), theirs: met }
  }
  return { local: localPersonOf(listRun, like), agreed: other ? agreedOf(other) : null, theirs: met }
}

async function collectMissing(
  listRun: ListRun,
  allIds: readonly number[],
  { afterId, knownUpTo }: ScanPosition,
  isLast: boolean,
  { agreed }: PageMatches,
  losses: Losses
): Promise<void> {
  const upTo = isLast ? knownUpTo : Math.min(knownUpTo, allIds.at(-1) ?? afterId)
  // Nearly always none is missing, which the index answers quickly.
  const present = [...agreed.keys()].filter((id) => id <= upTo).length
  if ((await countLinked(listRun, afterId, upTo)) > present) {
    losses.gone.push(...(await missingBetween(listRun, afterId, upTo, new Set(allIds))))
  }
}

function isAsBefore(
  { common, decisions }: ListRun,
  theirId: number,
  { their_id, agreed }: AgreementRow,
  local: SubscriberRow,
  theirs: Values
): boolean {
  if ((their_id !== null && their_id !== theirId) || decisions.has(local.id)) return false
  const here = localValues(local, common)
  return (
    theirs.every((value, at) => sameValue(value, here[at])) &&
    isSamePacked(packValues(here, common.slots), agreed)
  )
}

/** True if a remote id was reused for another subscriber: with another email and another subscribe time. */
function isSomebodyElse({ hashes }: NonNullable<Meeting['agreed']>, person: Person): boolean {
  return [slots.email, slots.subscribe_time].every((slot) => {
    const value = person.get(slot)
    return value !== undefined && hashes.has(slot) && hashes.get(slot) !== hashOf(value)
  })
}

async function send(listRun: ListRun, left: LeftToSend): Promise<void> {
  await pushChanges(
    listRun,
    left.map(({ localId }) => localId),
    'all'
  )
}

async function missingBetween(
  { run, syncListId }: ListRun,
  afterId: number,
  upTo: number,
  present: ReadonlySet<number>
): Promise<Losses['gone']> {
  const rows = await run.reader
    .selectFrom('sync_subscribers')
    .select(['local_id', 'their_id'])
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is not', null)
    .where('their_id', '>', afterId)
    .where('their_id', '<=', upTo)
    .execute()
  return rows.flatMap(({ local_id: localId, their_id: theirId }) =>
    theirId !== null && !present.has(theirId) ? [{ localId, theirId }] : []
  )
}

async function reconcileMissing(listRun: ListRun, gone: Losses['gone']): Promise<void> {
  const localIds = gone.map(({ localId }) => localId)
  const [locals, agreed] = [await localPeople(listRun, localIds), await agreedBy(listRun, localIds)]
  const meetings = gone.flatMap(({ localId, theirId }): Meeting[] => {
    const row = agreed.get(localId)
    // The subscriber was added again on the remote under another id and was met since, so is not missing.
    if (!row || (row.their_id !== null && row.their_id !== theirId)) return []
    return [{ local: locals.get(localId) ?? null, agreed: agreedOf(row), theirs: null }]
  })
  await send(listRun, await reconcile(listRun, meetings, false))
}

/** Records of one page that may be refused alone; with more of them the page is not believed. */
const maxInvalid = 10

/**
 * The subscribers of a page that are what the API promises. Others are listed as refused, each with a sentence, and stay as they are.
 * @throws RemoteFault invalid where most of a page is not valid
 */
async function validAnswers(listRun: ListRun, page: readonly { id: number }[]): Promise<TheirSubscriber[]> {
  const { run, list } = listRun
  const refusals: NotedRefusal[] = []
  let firstFault = ''
  const valid = page.filter((answer): answer is TheirSubscriber => {
    const wrong = answers.subscriber(answer)
    if (wrong === null) return true
    const { email } = answer as { email?: unknown }
    const name = typeof email === 'string' && email !== '' ? shortened(email) : `subscriber ${answer.id}`
    const named = { kind: 'subscriber', mailingListId: list.id, recordId: answer.id, name } as const
    firstFault ||= wrong
    const fault = refusal('data_not_valid', { fault: wrong })
    refusals.push({ ...named, side: 'local', fault, version: versionOf(wrong) })
    return false
  })
  if (refusals.length > maxInvalid || (refusals.length > 1 && valid.length === 0)) {
    throw new RemoteFault('invalid', refusal('answer_not_valid', { host: run.api.host, fault: firstFault }))
  }
  await noteRefusals(
    run,
    refusals.filter(({ version, ...refusal }) => run.refused.get(refusalKey('local', refusal)) !== version)
  )
  return valid
}

/** Returns the highest remote id of a linked subscriber; 0 for none. */
async function highestKnown({ run, syncListId }: ListRun): Promise<number> {
  const { highest } = await run.reader
    .selectFrom('sync_subscribers')
    .select((select) => select.fn.max<number | null>('their_id').as('highest'))
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is not', null)
    .executeTakeFirstOrThrow()
  return highest ?? 0
}

/**
 * Deletes the agreed state of subscribers who reached the remote by an import and were not found: they were
 * deleted or changed there before their ids were known. They are treated as new.
 */
async function deleteUnmatched({ run, syncListId }: ListRun): Promise<void> {
  for (;;) {
    const rows = await run.reader
      .selectFrom('sync_subscribers')
      .select('local_id')
      .where('sync_list_id', '=', syncListId)
      .where('their_id', 'is', null)
      .limit(perPage)
      .execute()
    if (rows.length === 0) return
    const localIds = rows.map(({ local_id }) => local_id)
    await run.client.run('syncs.deleteAgreedSubscribers', { syncListId, localIds })
  }
}

async function countLinked({ run, syncListId }: ListRun, afterId?: number, upTo?: number): Promise<number> {
  const { linked } = await run.reader
    .selectFrom('sync_subscribers')
    .select((select) => select.fn.countAll<number>().as('linked'))
    .where('sync_list_id', '=', syncListId)
    .$if(afterId !== undefined && upTo !== undefined, (query) =>
      query
        .where('their_id', 'is not', null)
        .where('their_id', '>', afterId ?? 0)
        .where('their_id', '<=', upTo ?? 0)
    )
    .executeTakeFirstOrThrow()
  return linked
}

type Orphan = NonNullable<Meeting['agreed']>

/**
 * Subscribers that were sent to the remote by an import, so that their remote ids are unknown, and that were deleted here since.
 * They are identified by the hash of their key.
 */
class Orphans {
  readonly #keySlot: number
  readonly #byKey: Map<number, Orphan>

  constructor(orphans: Orphan[], keySlot: number) {
    this.#keySlot = keySlot
    this.#byKey = new Map(orphans.flatMap((each) => [[each.hashes.get(keySlot) ?? 0, each] as const]))
  }

  take(person: Person): Orphan | null {
    if (this.#byKey.size === 0) return null
    const key = hashOf(person.get(this.#keySlot) ?? '')
    const orphan = this.#byKey.get(key) ?? null
    this.#byKey.delete(key)
    return orphan
  }
}

async function orphansOf({ run, syncListId, list }: ListRun): Promise<Orphans> {
  const fieldId = list.primary_key_custom_field_id
  const rows = await run.reader
    .selectFrom('sync_subscribers')
    .leftJoin('subscribers', 'subscribers.id', 'sync_subscribers.local_id')
    .select(['local_id', 'agreed'])
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is', null)
    .where('subscribers.id', 'is', null)
    .execute()
  return new Orphans(
    rows.map(({ local_id, agreed }) => agreedOf({ local_id, their_id: null, agreed })),
    fieldId === null ? slots.email : slotOf({ id: fieldId })
  )
}

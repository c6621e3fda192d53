import { isFault } from '../remote-fault.ts'
import type { RemoteAnswer } from '../remote-api.ts'
import { Question } from '../question.ts'
import { syncListOf } from '../queries.ts'
import { hashOf, unpackAgreed } from './agreed.ts'
import {
  agreedBy,
  keyOf,
  type ListRun,
  type LocalPerson,
  localPeople,
  localPeopleLike,
  type Meeting,
  theirs
} from './list-run.ts'
import { type Person, slots, type TheirSubscriber } from './person.ts'
import { pushChanges } from './push.ts'
import { reconcile } from './reconcile.ts'

/** Subscribers of a page (docs/api.md, "Limits"). */
const perPage = 500
/** Pages after which it is noted how far the scan came. */
const pagesPerNote = 20
/** So many people, and this share of the list, may be gone there before a person is asked whether that is meant. */
const goneWithoutAsking = { people: 50, share: 0.1 }

/** Where a scan goes on that was cut off. */
export interface ScanPosition {
  /** Of the next page; null = the first. */
  token: string | null
  /** The last id of the remote that was looked at. */
  afterId: number
}

type Page = RemoteAnswer<TheirSubscriber[]>

/**
 * Looks at all subscribers of the remote, page by page, and brings each together with whom it is here: who is new there, was
 * changed, or is gone. Pages are in the order of ids, so whoever is missing between two of them is gone.
 * @param onProgress told how many of how many were looked at; answers whether to go on
 */
export async function scan(
  listRun: ListRun,
  onProgress: (done: number, total: number | null) => Promise<void>
): Promise<void> {
  const { run, syncListId, list } = listRun
  listRun.needsScan = false
  const row = await syncListOf(run.reader, run.remoteId, list.id)
  const resumed = row?.scan ? (JSON.parse(row.scan) as ScanPosition) : null
  let position: ScanPosition = resumed ?? { token: null, afterId: 0 }
  const orphans = await orphansOf(listRun)
  const gone = new Gone(listRun, await countLinked(listRun))
  const resumedPage = await firstPage(listRun, position)
  if (resumedPage === null) {
    // The remote has forgotten where it was.
    position = { token: null, afterId: 0 }
  }
  let page: Page = resumedPage ?? (await pageAt(listRun, null))
  const total = page.num_records ?? null
  if (position.token === null && total !== null) gone.requireMost(total)
  let done = 0
  for (let pages = 1; ; pages++) {
    const token: string | null = page.next_page_token ?? null
    // The next page is on its way while this one is worked on.
    const next = token === null ? null : pageAt(listRun, token)
    next?.catch(() => undefined)
    const people = page.data.map((answer) => theirs(listRun, answer))
    await meet(listRun, people, position.afterId, token === null, orphans, gone)
    done += people.length
    position = { token, afterId: people.at(-1)?.id ?? position.afterId }
    if (next === null) break
    if (pages % pagesPerNote === 0) {
      await run.client.run('syncs.noteList', { syncListId, scan: JSON.stringify(position) })
    }
    await onProgress(done, total)
    page = await next
  }
  await run.client.run('syncs.noteList', { syncListId, scan: null })
}

/** @returns null where a page cannot be gone on from any more */
async function firstPage(listRun: ListRun, { token }: ScanPosition): Promise<Page | null> {
  try {
    return await pageAt(listRun, token)
  } catch (error) {
    if (token !== null && isFault(error, 'refused', 'not_found')) return null
    throw error
  }
}

async function pageAt({ run, theirListId }: ListRun, token: string | null): Promise<Page> {
  const at = token === null ? '' : `&page_token=${encodeURIComponent(token)}`
  return run.api.get<TheirSubscriber[]>(`/mailing_lists/${theirListId}/subscribers?per_page=${perPage}${at}`)
}

/** Brings the people of a page together with those of this side, and finds who is missing before them. */
async function meet(
  listRun: ListRun,
  people: { id: number; person: Person }[],
  afterId: number,
  isLast: boolean,
  orphans: Orphans,
  gone: Gone
): Promise<void> {
  const ids = people.map(({ id }) => id)
  const agreed = await agreedBy(listRun, 'their_id', ids)
  const strangers = people.filter(({ id }) => !agreed.has(id))
  const alike =
    strangers.length === 0
      ? new Map<string, LocalPerson>()
      : await localPeopleLike(
          listRun,
          strangers.map(({ person }) => person)
        )
  const localIds = [...agreed.values()].map(({ localId }) => localId)
  const locals = await localPeople(listRun, localIds)
  const newlyAgreed = await agreedBy(
    listRun,
    'local_id',
    [...alike.values()].map(({ id }) => id)
  )
  const meetings = people.map((each): Meeting => {
    const known = agreed.get(each.id)
    if (known) {
      return { local: locals.get(known.localId) ?? null, agreed: known, theirs: each }
    }
    const local = alike.get(keyOf(listRun, each.person)) ?? null
    if (local) return { local, agreed: newlyAgreed.get(local.id) ?? null, theirs: each }
    return { local: null, agreed: orphans.take(each.person), theirs: each }
  })
  const missing = await missingBetween(
    listRun,
    afterId,
    isLast ? null : (ids.at(-1) ?? afterId),
    new Set(ids)
  )
  gone.add(missing.length)
  const left = await reconcile(listRun, [...meetings, ...missing], false)
  await pushChanges(
    listRun,
    left.map(({ localId }) => localId),
    'all'
  )
}

/** Whom the remote had between two ids, and has no more. @param upTo null = to the end */
async function missingBetween(
  listRun: ListRun,
  afterId: number,
  upTo: number | null,
  present: ReadonlySet<number>
): Promise<Meeting[]> {
  const { run, syncListId } = listRun
  const rows = await run.reader
    .selectFrom('sync_subscribers')
    .select(['local_id', 'their_id', 'agreed'])
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is not', null)
    .where('their_id', '>', afterId)
    .$if(upTo !== null, (query) => query.where('their_id', '<=', upTo))
    .execute()
  const missing = rows.filter(({ their_id }) => their_id !== null && !present.has(their_id))
  const locals = await localPeople(
    listRun,
    missing.map(({ local_id }) => local_id)
  )
  return missing.map(({ local_id, their_id, agreed }) => {
    return {
      local: locals.get(local_id) ?? null,
      agreed: { localId: local_id, theirId: their_id, hashes: unpackAgreed(agreed) },
      theirs: null
    }
  })
}

async function countLinked({ run, syncListId }: ListRun): Promise<number> {
  const { linked } = await run.reader
    .selectFrom('sync_subscribers')
    .select((select) => select.fn.countAll<number>().as('linked'))
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is not', null)
    .executeTakeFirstOrThrow()
  return linked
}

/** How many are gone there. Many at once may mean that the remote was restored from a backup: then a person is asked. */
class Gone {
  readonly #listRun: ListRun
  readonly #linked: number
  #count = 0

  constructor(listRun: ListRun, linked: number) {
    this.#listRun = listRun
    this.#linked = linked
  }

  /** @throws Question */
  add(people: number): void {
    this.#count += people
    this.#askAbove(this.#count)
  }

  /** @throws Question where the remote has far fewer than it had, before anything is taken over from it */
  requireMost(total: number): void {
    this.#askAbove(this.#linked - total)
  }

  #askAbove(gone: number): void {
    const { run, list } = this.#listRun
    const most = Math.max(goneWithoutAsking.people, this.#linked * goneWithoutAsking.share)
    if (gone <= most || run.answer !== null) return
    throw new Question(
      'gone',
      `${gone} of the ${this.#linked} subscribers of "${list.name}" are gone there. Was the remote restored from a backup?`
    )
  }
}

type Orphan = NonNullable<Meeting['agreed']>

/**
 * People who came there by an import, so that their ids there are not known, and were removed here since: they are known by the
 * hash of their address.
 */
class Orphans {
  readonly #byEmail: Map<number, Orphan>

  constructor(orphans: Orphan[]) {
    this.#byEmail = new Map(orphans.flatMap((each) => [[each.hashes.get(slots.email) ?? 0, each] as const]))
  }

  /** Whom somebody of the remote was here. */
  take(person: Person): Orphan | null {
    if (this.#byEmail.size === 0) return null
    const key = hashOf(person.get(slots.email) ?? '')
    const orphan = this.#byEmail.get(key) ?? null
    this.#byEmail.delete(key)
    return orphan
  }
}

async function orphansOf({ run, syncListId }: ListRun): Promise<Orphans> {
  const rows = await run.reader
    .selectFrom('sync_subscribers')
    .leftJoin('subscribers', 'subscribers.id', 'sync_subscribers.local_id')
    .select(['local_id', 'agreed'])
    .where('sync_list_id', '=', syncListId)
    .where('their_id', 'is', null)
    .where('subscribers.id', 'is', null)
    .execute()
  return new Orphans(
    rows.map(({ local_id, agreed }) => ({ localId: local_id, theirId: null, hashes: unpackAgreed(agreed) }))
  )
}

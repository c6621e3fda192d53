import { suppressionListsOf } from '../../api/suppression-lists/queries.ts'
import type { SuppressedAddress, SuppressionList } from '../../api/suppression-lists/schema.ts'
import { answers } from '../answers.ts'
import type { ListIds } from '../list-ids.ts'
import { isFault } from '../remote-fault.ts'
import { countOperation, recordRefusal, type Run } from '../run-context.ts'
import { type Linked, mirrorRecords, type RecordKind, type SyncRecord } from './mirror-records.ts'

/** Addresses per request. */
const sentAtOnce = 10_000
const perPage = 500
/** Addresses per command. */
const writtenAtOnce = 1000

/** The suppression lists of the organization, without addresses. The specification does not promise them. */
export function suppressionLists(run: Run, ids: ListIds): RecordKind {
  const { api, client, reader, organizationId } = run
  const theirList = ({ id, name, mailing_list_id }: SuppressionList): SyncRecord => ({
    id,
    content: { name, mailing_list_id: mailing_list_id === null ? null : (ids.local(mailing_list_id) ?? -1) }
  })
  const request = ({ name, mailing_list_id: listId }: SyncRecord['content']) => ({
    suppression_list: { name, mailing_list_id: listId === null ? null : ids.theirs(Number(listId)) }
  })
  const isMirrored = ({ content }: SyncRecord): boolean =>
    content['mailing_list_id'] === null || ids.theirs(Number(content['mailing_list_id'])) !== undefined

  return {
    kind: 'suppression_list',
    mailingListId: null,
    nameOf: ({ name }) => String(name),
    keyOf: ({ name }) => String(name).trim().toLowerCase(),

    readLocal: async () => {
      const rows = await suppressionListsOf(reader, organizationId)
      return rows
        .map(({ id, name, mailing_list_id }) => ({ id, content: { name, mailing_list_id } }))
        .filter(isMirrored)
    },

    readRemote: async () =>
      (await api.get<SuppressionList[]>('/suppression_lists', answers.suppressionLists)).data
        .map(theirList)
        .filter(isMirrored),

    createRemote: async (content) =>
      theirList(
        (await api.post<SuppressionList>('/suppression_lists', answers.suppressionList, request(content)))
          .data
      ),

    updateRemote: async ({ id }, content) =>
      void (await api.put(`/suppression_lists/${id}`, answers.anything, request(content))),

    createLocal: async ({ name, mailing_list_id }) =>
      (
        await client.run('suppressionLists.create', {
          organizationId,
          suppressionList: { name: String(name), mailing_list_id: mailing_list_id as number | null }
        })
      ).id,

    updateLocal: async (id, { name, mailing_list_id }) =>
      void (await client.run('suppressionLists.update', {
        organizationId,
        id,
        changes: { name: String(name), mailing_list_id: mailing_list_id as number | null }
      }))
  }
}

/**
 * Mirrors the suppression lists and their addresses if the remote supports them: adds local addresses to the remote and, unless the
 * direction is `mirror`, remote addresses to this side. An address is removed only after it was removed on both sides.
 */
export async function mirrorSuppression(run: Run, ids: ListIds): Promise<void> {
  const kind = suppressionLists(run, ids)
  const remote = await ifKnown(kind.readRemote())
  if (!remote) return
  const linked = await mirrorRecords(run, { ...kind, readRemote: () => Promise.resolve(remote) })
  for (const pair of linked) {
    const { id, content } = pair.local
    const named = { kind: kind.kind, mailingListId: null, recordId: id, name: kind.nameOf(content) }
    try {
      await mirrorAddresses(run, pair)
    } catch (error) {
      if (!isFault(error, 'refused', 'not_found')) throw error
      await recordRefusal(run, 'remote', named, 'addresses', error.refusal)
    }
  }
}

/** @returns null where the remote knows no such call */
export async function ifKnown<Result>(call: Promise<Result>): Promise<Result | null> {
  try {
    return await call
  } catch (error) {
    if (!isFault(error, 'not_found', 'key')) throw error
    return null
  }
}

async function mirrorAddresses(run: Run, { local, theirs }: Linked<SyncRecord>): Promise<void> {
  const mine = await localAddresses(run, local.id)
  const others = await theirAddresses(run, theirs.id)
  const missingThere = [...mine].filter((address) => !others.has(address))
  for (let at = 0; at < missingThere.length; at += sentAtOnce) {
    const data = missingThere.slice(at, at + sentAtOnce)
    await run.api.post(
      `/suppression_lists/${theirs.id}/suppressed_addresses/create_multiple`,
      answers.anything,
      {
        data
      }
    )
    countOperation(run, 'pushed', 'suppressed_address', data.length)
  }
  if (run.rules.direction === 'mirror') return
  const missingHere = [...others].filter((address) => !mine.has(address))
  for (let at = 0; at < missingHere.length; at += writtenAtOnce) {
    const addresses = missingHere.slice(at, at + writtenAtOnce)
    await run.client.run('syncs.suppress', { suppressionListId: local.id, addresses })
    countOperation(run, 'pulled', 'suppressed_address', addresses.length)
  }
}

/** Returns the addresses, domains and MD5 sums of a local list. */
export async function localAddresses({ reader }: Run, suppressionListId: number): Promise<Set<string>> {
  const addresses = new Set<string>()
  for (let afterId = 0; ;) {
    const rows = await reader
      .selectFrom('suppressed_addresses')
      .select(['id', 'email'])
      .where('suppression_list_id', '=', suppressionListId)
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(sentAtOnce)
      .execute()
    for (const { email } of rows) addresses.add(email.toLowerCase())
    const last = rows.at(-1)
    if (!last) return addresses
    afterId = last.id
  }
}

/** Returns those of a remote list. */
export async function theirAddresses({ api }: Run, theirId: number): Promise<Set<string>> {
  const addresses = new Set<string>()
  for (let page = 0; ; page++) {
    const before = addresses.size
    const { data } = await api.get<SuppressedAddress[]>(
      `/suppression_lists/${theirId}/suppressed_addresses?per_page=${perPage}&page=${page}`,
      answers.suppressedAddresses
    )
    for (const { email } of data) addresses.add(email.toLowerCase())
    if (data.length < perPage || addresses.size === before) return addresses
  }
}

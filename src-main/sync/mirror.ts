import { refusal } from '../base/refusal.ts'
import { mailingListsOf, subscriberTotal } from '../api/mailing-lists/queries.ts'
import type { MailingList } from '../api/mailing-lists/schema.ts'
import { answers } from './answers.ts'
import { listIdsOf } from './list-ids.ts'
import { linksOf, syncListOf } from './queries.ts'
import { Question } from './question.ts'
import { customFields, fieldPairs } from './records/custom-fields.ts'
import { forRecordsOfList } from './records/kinds.ts'
import { mailingLists, type TheirList } from './records/mailing-lists.ts'
import { mirrorRecords, type RecordKind } from './records/mirror-records.ts'
import { mirrorSuppression } from './records/suppression.ts'
import { answerFor, deleteRefusal, type Named, recordRefusal, type Run, wasRefused } from './run-context.ts'
import type { LinkedKind } from './schema.ts'
import { isFault, RemoteFault } from './remote-fault.ts'
import { mirrorSubscribers } from './subscribers/mirror-subscribers.ts'
import { type Common, commonOf } from './subscribers/person.ts'

/** Reports the progress of a run. */
export type OnProgress = (
  kind: LinkedKind,
  mailingListId: number | null,
  done: number,
  total: number | null
) => Promise<void>

export interface ListPair {
  local: { id: number; name: string; organization_id: number; primary_key_custom_field_id: number | null }
  theirId: number
  common: Common
}

/**
 * Mirrors everything once, in dependency order.
 * @param pullsAll also find changes of the remote, which requires scanning all subscribers
 */
export async function mirror(run: Run, pullsAll: boolean, onProgress: OnProgress): Promise<void> {
  const pairs = await mirrorLists(run, onProgress)
  const ids = listIdsOf(pairs.map(({ local, theirId }) => [local.id, theirId]))
  for (const pair of pairs) {
    const { id } = pair.local
    await onProgress('subscriber', id, 0, await subscriberTotal(run.reader, id))
    await unlessRefused(run, pair.local, () =>
      mirrorSubscribers(run, pair, pair.common, pullsAll, (done, total) =>
        onProgress('subscriber', id, done, total)
      )
    )
    await forRecordsOfList(run, { localId: id, theirId: pair.theirId }, ids, async (kind) => {
      await onProgress(kind.kind, id, 0, null)
      await mirrorRecords(run, kind)
    })
  }
  await onProgress('suppression_list', null, 0, null)
  await mirrorSuppression(run, ids)
}

async function mirrorLists(run: Run, onProgress: OnProgress): Promise<ListPair[]> {
  await onProgress('mailing_list', null, 0, null)
  const kind = mailingLists(run)
  const remote = await kind.readRemote()
  await askForGoneLists(run, remote)
  const chosen = await ofChosenLists(run, kind, remote)
  const linked = await mirrorRecords(run, { ...kind, readRemote: () => Promise.resolve(chosen) })
  await onProgress('custom_field', null, 0, null)
  await mirrorRecords(run, customFields(run, null, null))
  const rows = new Map((await mailingListsOf(run.reader, run.organizationId)).map((row) => [row.id, row]))
  const pairs: ListPair[] = []
  for (const { local, theirs } of linked) {
    const row = rows.get(local.id)
    if (!row) continue
    await mirrorRecords(run, customFields(run, local.id, theirs.id))
    const fields = await fieldPairs(run, local.id, theirs.id)
    let isAlike = false
    await unlessRefused(run, row, async () => {
      isAlike = await mirrorPrimaryKey(run, { ...row, theirs, fields })
      if (!isAlike) throw new RemoteFault('refused', refusal('unlike_keys'))
    })
    if (!isAlike) continue
    const both = (name: 'has_format' | 'has_confirmed'): boolean =>
      row[name] === 1 && theirs.content[name] === true
    const common = commonOf(fields, both('has_format'), both('has_confirmed'))
    pairs.push({ local: row, theirId: theirs.id, common })
  }
  return pairs
}

/** Keeps only the selected lists of the remote, if lists were selected. */
async function ofChosenLists(
  { mailingListIds, reader, remoteId }: Run,
  { readLocal, keyOf }: RecordKind<TheirList>,
  remote: TheirList[]
): Promise<TheirList[]> {
  if (mailingListIds === null) return remote
  const keys = new Set((await readLocal()).map(({ content }) => keyOf(content)))
  const links = await linksOf(reader, remoteId, 'mailing_list', null)
  const theirIds = new Map(links.map(({ localId, theirId }) => [theirId, localId]))
  return remote.filter(({ id, content }) => {
    const localId = theirIds.get(id)
    return localId === undefined ? keys.has(keyOf(content)) : mailingListIds.includes(localId)
  })
}

/**
 * A missing list is never deleted without asking.
 * @throws Question
 */
async function askForGoneLists(run: Run, remote: TheirList[]): Promise<void> {
  const present = new Set(remote.map(({ id }) => id))
  const locals = new Map(
    (await mailingListsOf(run.reader, run.organizationId)).map(({ id, name }) => [id, name])
  )
  for (const { localId, theirId } of await linksOf(run.reader, run.remoteId, 'mailing_list', null)) {
    const name = locals.get(localId)
    const isMirrored = name !== undefined && (run.mailingListIds?.includes(localId) ?? true)
    if (theirId === null || present.has(theirId) || !isMirrored) continue
    if (answerFor(run, 'list_gone', localId) !== 'send_again') {
      throw new Question('list_gone', refusal('list_gone', { name }), localId)
    }
    await run.client.run('syncs.deleteAgreedList', { remoteId: run.remoteId, mailingListId: localId })
  }
}

interface KeyedList {
  id: number
  primary_key_custom_field_id: number | null
  theirs: TheirList
  fields: Common['fields']
}

/**
 * Sets the primary key of a list that has no subscribers on the remote yet; afterwards each list keeps its
 * own.
 * @returns true if both have the same
 */
async function mirrorPrimaryKey(
  run: Run,
  { id, primary_key_custom_field_id: fieldId, theirs, fields }: KeyedList
): Promise<boolean> {
  const isThere = theirs.answer.primary_key_custom_field_id ?? null
  const wanted = fieldId === null ? null : fields.find(({ field }) => field.id === fieldId)?.theirId
  if (wanted === undefined || isThere === wanted) return wanted !== undefined
  if (wanted === null || isThere !== null || (await syncListOf(run.reader, run.remoteId, id))) return false
  await run.api.put<MailingList>(`/mailing_lists/${theirs.id}`, answers.list, {
    mailing_list: { ...theirs.content, primary_key_custom_field_id: wanted }
  })
  return true
}

/** Runs work on a list that the remote may refuse: a refusal is shown, and other lists continue. */
async function unlessRefused(
  run: Run,
  { id, name }: { id: number; name: string },
  act: () => Promise<void>
): Promise<void> {
  const named: Named = { kind: 'mailing_list', mailingListId: null, recordId: id, name }
  try {
    await act()
    if (wasRefused(run, 'remote', named, 'subscribers')) await deleteRefusal(run, 'remote', named)
  } catch (error) {
    if (!isFault(error, 'refused', 'not_found')) throw error
    await recordRefusal(run, 'remote', named, 'subscribers', error.refusal)
  }
}

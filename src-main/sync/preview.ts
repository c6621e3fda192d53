import { fieldsOfList } from '../api/custom-fields/queries.ts'
import type { CustomField } from '../api/custom-fields/schema.ts'
import { subscriberTotal } from '../api/mailing-lists/queries.ts'
import { answers } from './answers.ts'
import { linksOf } from './queries.ts'
import { mailingLists } from './records/mailing-lists.ts'
import type { SyncRecord } from './records/mirror-records.ts'
import { allPages } from './records/pages.ts'
import type { Run } from './run-context.ts'
import type { ListMatch } from './schema.ts'

/**
 * Returns what a run would do with each list: which remote list matches it, what would be created, and what
 * cannot be mirrored.
 */
export async function previewLists(run: Run): Promise<ListMatch[]> {
  const kind = mailingLists(run)
  const remote = new Map((await kind.readRemote()).map((list) => [list.id, list]))
  const links = await linksOf(run.reader, run.remoteId, 'mailing_list', null)
  const theirIdOf = new Map(links.map(({ localId, theirId }) => [localId, theirId]))
  const matches: ListMatch[] = []
  for (const local of await kind.readLocal()) {
    const key = kind.keyOf(local.content)
    const found =
      remote.get(theirIdOf.get(local.id) ?? -1) ??
      [...remote.values()].find(({ content }) => kind.keyOf(content) === key)
    if (found) remote.delete(found.id)
    matches.push(await previewList(run, local, found ?? null))
  }
  if (run.rules.direction === 'mirror' || run.mailingListIds !== null) return matches
  for (const list of remote.values()) matches.push(await previewNewList(run, list))
  return matches
}

async function previewList(run: Run, local: SyncRecord, found: SyncRecord | null): Promise<ListMatch> {
  const fields = await fieldsOfList(run.reader, run.organizationId, local.id)
  const theirs = found
    ? await allPages<CustomField>(run.api, `/mailing_lists/${found.id}/custom_fields`, answers.fields)
    : []
  const typeOf = new Map(theirs.map((field) => [field.name.trim().toLowerCase(), field.field_type]))
  const isThere = ({ name }: { name: string }): boolean => typeOf.has(name.toLowerCase())
  const isAlike = ({ name, type }: { name: string; type: string }): boolean =>
    typeOf.get(name.toLowerCase()) === type
  const names = (some: { name: string }[]): string[] => some.map(({ name }) => name)
  return {
    mailing_list_id: local.id,
    name: String(local.content['name']),
    their_id: found?.id ?? null,
    subscribers: await subscriberTotal(run.reader, local.id),
    their_subscribers: found && (await countThere(run, found.id)),
    new_fields: names(fields.filter((field) => !isThere(field))),
    matched_fields: names(fields.filter(isAlike)),
    unlike_fields: names(fields.filter((field) => isThere(field) && !isAlike(field)))
  }
}

async function previewNewList(run: Run, { id, content }: SyncRecord): Promise<ListMatch> {
  return {
    mailing_list_id: null,
    name: String(content['name']),
    their_id: id,
    subscribers: 0,
    their_subscribers: await countThere(run, id),
    new_fields: [],
    matched_fields: [],
    unlike_fields: []
  }
}

async function countThere({ api }: Run, theirListId: number): Promise<number | null> {
  const { num_records } = await api.get(
    `/mailing_lists/${theirListId}/subscribers?per_page=1`,
    answers.listing
  )
  return num_records ?? null
}

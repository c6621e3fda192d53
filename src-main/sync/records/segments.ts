import type { Condition } from '../../api/segments/conditions.ts'
import { clauseOf, storedSegments } from '../../api/segments/queries.ts'
import type { Segment } from '../../api/segments/schema.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { answers } from '../answers.ts'
import type { ListIds } from '../list-ids.ts'
import { RemoteFault } from '../remote-fault.ts'
import type { Run } from '../run-context.ts'
import type { Content } from './merge-contents.ts'
import type { RecordKind, SyncRecord } from './mirror-records.ts'
import { allPages } from './pages.ts'

/** The only condition of the specification. Lists by local id; null = not mirrored. */
interface ListCondition {
  type: string
  operator: string
  mailing_list_id: number | null
}

/**
 * The segments of a list. Those with conditions that the API lacks stay on their side, with that reason
 * shown.
 */
export function segments(run: Run, mailingListId: number, theirListId: number, ids: ListIds): RecordKind {
  const { api, client, reader, organizationId } = run
  const path = `/mailing_lists/${theirListId}/segments`

  const theirSegment = ({ id, name, clause }: Segment): SyncRecord => ({
    id,
    content: { name, clause: clause.map((condition) => plain(condition as Condition, ids.local)) }
  })
  const request = ({ name, clause }: Content) => ({
    segmentation_criteria: { name, clause: (clause as ListCondition[]).map(theirCondition) }
  })

  function theirCondition({ type, operator, mailing_list_id }: ListCondition): ListCondition {
    if (type !== 'in_mailing_list') {
      throw new RemoteFault('refused', refusal('conditions_not_there'))
    }
    const theirs = mailing_list_id === null ? undefined : ids.theirs(mailing_list_id)
    if (theirs === undefined) throw new RemoteFault('refused', refusal('list_not_mirrored'))
    return { type, operator, mailing_list_id: theirs }
  }

  return {
    kind: 'segment',
    mailingListId,
    nameOf: ({ name }) => String(name),
    keyOf: ({ name }) => String(name).trim().toLowerCase(),

    readLocal: async () => {
      const { rows } = await storedSegments(
        reader,
        organizationId,
        mailingListId,
        {},
        { page: 0, per_page: 2000 }
      )
      return rows.map((row) => ({
        id: row.id,
        content: { name: row.name, clause: clauseOf(row).map((condition) => plain(condition, (id) => id)) }
      }))
    },

    readRemote: async () => {
      const summaries = await allPages<{ id: number }>(api, path, answers.listing)
      const found: SyncRecord[] = []
      for (const { id } of summaries)
        found.push(theirSegment((await api.get<Segment>(`/segments/${id}`, answers.segment)).data))
      return found
    },

    createRemote: async (content) =>
      theirSegment((await api.post<Segment>(path, answers.segment, request(content))).data),

    updateRemote: async ({ id }, content) =>
      void (await api.put(`/segments/${id}`, answers.anything, request(content))),

    removeRemote: (id) => api.delete(`/segments/${id}`),

    createLocal: (content) =>
      client.run('segments.create', {
        organizationId,
        mailingListId,
        segment: localSegment(content),
        grammar: 'api'
      }),

    updateLocal: (id, content) =>
      client.run('segments.update', { organizationId, id, changes: localSegment(content), grammar: 'api' }),

    removeLocal: (id) => client.run('segments.delete', { organizationId, id })
  }
}

function plain(condition: Condition, listId: (id: number) => number | undefined): object {
  if (condition.type !== 'in_mailing_list') return condition
  const { type, operator, mailing_list_id } = condition
  return { type, operator, mailing_list_id: listId(mailing_list_id) ?? null }
}

function localSegment({ name, clause }: Content): { name: string; clause: object[] } {
  const conditions = clause as ListCondition[]
  if (conditions.some(({ mailing_list_id }) => mailing_list_id === null)) {
    throw validationFailed(refusal('list_not_mirrored'))
  }
  return { name: String(name), clause: conditions }
}

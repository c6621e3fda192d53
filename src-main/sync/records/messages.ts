import { campaignsOfList, contentsOf, type NamedCampaign, templatesOf } from '../../api/campaigns/queries.ts'
import type { CampaignDetail, ContentInput } from '../../api/campaigns/schema.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { linksOf } from '../queries.ts'
import { answers } from '../answers.ts'
import { RemoteFault } from '../remote-fault.ts'
import type { Run } from '../run-context.ts'
import type { TheirCampaign } from '../schema.ts'
import type { Content } from './merge-contents.ts'
import type { RecordKind, SyncRecord } from './mirror-records.ts'
import { requireName } from './require-name.ts'
import { allPages } from './pages.ts'

interface TheirMessage extends SyncRecord {
  contentIds: number[]
}

const figures = [
  'messages_sent',
  'opens_unique',
  'clicks_unique',
  'bounces_unique',
  'unsubs_unique',
  'scomps_unique'
] as const

type Version = Required<Omit<ContentInput, 'id'>>

/**
 * The templates of a list, or its unsent campaigns: names, versions and segments. Delivery settings are each
 * server's own, as they name its routes and domains; the remote uses the list's.
 */
export function messages(
  run: Run,
  kind: 'template' | 'campaign',
  mailingListId: number,
  theirListId: number
): RecordKind<TheirMessage> {
  const { api, client, reader, organizationId, timeZone } = run
  const scope = { organizationId, timeZone, kind }
  const path = kind === 'template' ? 'templates' : 'campaigns'

  /** Segments of both sides by either id, loaded once they are mirrored. */
  const segmentIds = async () => {
    const links = (await linksOf(reader, run.remoteId, 'segment', mailingListId)).filter(
      ({ theirId }) => theirId !== null
    )
    return {
      theirs: new Map(links.map(({ localId, theirId }) => [localId, theirId])),
      local: new Map(links.map(({ localId, theirId }) => [theirId, localId]))
    }
  }

  const theirMessage = async (detail: CampaignDetail): Promise<TheirMessage> => {
    const contents = [...detail.campaign_contents].sort((a, b) => a.id - b.id)
    const { local } = await segmentIds()
    return {
      id: detail.id,
      content: {
        name: detail.name,
        versions: contents.map(versionOf),
        segment_id: localSegmentId(detail.segmentation_criteria_id, local)
      },
      contentIds: contents.map(({ id }) => id)
    }
  }

  const request = async (content: Content, contentIds: number[]) => {
    const { theirs } = await segmentIds()
    const segmentId = content['segment_id'] as number | null
    const theirSegmentId = segmentId === null ? null : theirs.get(segmentId)
    // Without its segment the message would go to the whole list.
    if (theirSegmentId === undefined) {
      throw new RemoteFault('refused', refusal('segment_not_there'))
    }
    return {
      campaign: {
        name: content['name'],
        contents: withIds(content, contentIds),
        segmentation_criteria_id: theirSegmentId
      }
    }
  }

  return {
    kind,
    mailingListId,
    // A message that was sent from here belongs to this side's history; what remains of it there is left
    // alone.
    nameOf: ({ name }) => String(name),
    keyOf: ({ name }) => String(name).trim().toLowerCase(),

    readLocal: async () => {
      const rows =
        kind === 'template'
          ? await templatesOf(reader, organizationId, mailingListId)
          : await draftsOf(run, mailingListId)
      const contents = await contentsOf(
        reader,
        rows.map(({ id }) => id)
      )
      return rows.map(({ id, name, segment_id }) => ({
        id,
        content: {
          name,
          versions: contents.filter(({ campaign_id }) => campaign_id === id).map(versionOf),
          segment_id
        }
      }))
    },

    readRemote: async () => {
      const all = await allPages<TheirSummary>(
        api,
        `/mailing_lists/${theirListId}/${path}`,
        answers.summaries
      )
      const found: TheirMessage[] = []
      for (const summary of all) {
        if (kind === 'campaign' && !isDraft(summary)) {
          found.push({ id: summary.id, content: { name: summary.name }, contentIds: [], isSettled: true })
          continue
        }
        found.push(
          await theirMessage((await api.get<CampaignDetail>(`/${path}/${summary.id}`, answers.message)).data)
        )
      }
      return found
    },

    createRemote: async (content) => {
      const { data } = await api.post<CampaignDetail>(
        `/mailing_lists/${theirListId}/${path}`,
        answers.message,
        await request(content, [])
      )
      requireName(data, content['name'], 'the message')
      return theirMessage(data)
    },

    updateRemote: async ({ id, contentIds }, content) => {
      const { data } = await api.put<CampaignDetail>(
        `/${path}/${id}`,
        answers.message,
        await request(content, contentIds)
      )
      requireName(data, content['name'], 'the message')
    },

    noteSettled: async (localId, { id }) => {
      const { data } = await api.get<CampaignDetail>(`/${path}/${id}`, answers.message)
      const state: TheirCampaign = {
        id,
        state: data.dispatch?.state ?? 'finished',
        started_at: data.dispatch?.started_at ?? null,
        finished_at: data.dispatch?.finished_at ?? null,
        ...figuresOf(data.stat_summary)
      }
      await client.run('syncs.noteTheirState', {
        remoteId: run.remoteId,
        kind,
        localId,
        state: JSON.stringify(state)
      })
    },

    createLocal: (content) =>
      client.run('campaigns.create', {
        ...scope,
        mailingListId,
        source: {
          duplicate_content: false,
          duplicate_segmentation_criteria: false,
          duplicate_dispatch: false
        },
        campaign: localMessage(content, [])
      }),

    updateLocal: async (id, content) => {
      const contentIds = (await contentsOf(reader, [id])).map((row) => row.id)
      await client.run('campaigns.update', { ...scope, id, changes: localMessage(content, contentIds) })
    }
  }
}

interface TheirSummary {
  id: number
  name: string
  state?: string
  dispatch?: { state?: string } | null
}

function isDraft({ state, dispatch }: TheirSummary): boolean {
  return (state ?? dispatch?.state ?? 'idle') === 'idle'
}

function figuresOf(summary: CampaignDetail['stat_summary']): Pick<TheirCampaign, (typeof figures)[number]> {
  const [
    messages_sent = 0,
    opens_unique = 0,
    clicks_unique = 0,
    bounces_unique = 0,
    unsubs_unique = 0,
    scomps_unique = 0
  ] = figures.map((name) => summary?.[name] ?? 0)
  return { messages_sent, opens_unique, clicks_unique, bounces_unique, unsubs_unique, scomps_unique }
}

async function draftsOf({ reader, organizationId }: Run, mailingListId: number): Promise<NamedCampaign[]> {
  const rows = await campaignsOfList(reader, organizationId, mailingListId, {})
  const begun = await reader
    .selectFrom('dispatches')
    .select('campaign_id')
    .where('state', '!=', 'idle')
    .where(
      'campaign_id',
      'in',
      rows.map(({ id }) => id)
    )
    .execute()
  const ids = new Set(begun.map(({ campaign_id }) => campaign_id))
  return rows.filter(({ id }) => !ids.has(id))
}

/**
 * Returns the local id of a remote segment; a negative number if it does not exist here, so that the message
 * is not sent to the whole list.
 */
function localSegmentId(theirs: number | null, local: ReadonlyMap<number | null, number>): number | null {
  if (theirs === null) return null
  return local.get(theirs) ?? -theirs
}

function versionOf({ name, subject, format, html, text }: Version): Version {
  return { name, subject, format, html, text }
}

/** Versions keep their ids by position, so that none is taken for a new one. */
function withIds({ versions }: Content, contentIds: number[]): ContentInput[] {
  return (versions as Version[]).map((version, at) => {
    const id = contentIds[at]
    return { ...(id !== undefined && { id }), ...version }
  })
}

function localMessage(content: Content, contentIds: number[]) {
  const segmentId = content['segment_id'] as number | null
  if (segmentId !== null && segmentId < 0) throw validationFailed(refusal('segment_not_here'))
  return {
    name: String(content['name']),
    contents: withIds(content, contentIds),
    segmentation_criteria_id: segmentId
  }
}

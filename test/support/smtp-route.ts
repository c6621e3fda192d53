import { setTimeout as pause } from 'node:timers/promises'
import type { JournalCounts, JournaledMessage } from '../../src-main/api/journal/schema.ts'
import type { RetrySchedule } from '../../src-main/delivery/smtp/retry-schedule.ts'
import type { SmtpServer } from '../../src-main/api/smtp-servers/schema.ts'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { expectSuccess, importText, makeCampaign, makeList } from './builders.ts'
import type { Client } from './client.ts'

/** Short pauses between attempts, so that a test sees all of them. */
export const shortSchedule: RetrySchedule = {
  pauses: [50],
  triedFor: 400,
  serverPauses: [50, 200],
  readingPauses: [100, 200],
  domainPauses: [50, 200]
}

let made = 0

/** Sends the messages of the system default route to a server on this computer. */
export async function routeTo(
  api: Client,
  port: number,
  settings: Record<string, unknown> = {}
): Promise<SmtpServer> {
  const smtp_server = {
    name: `Server ${++made}`,
    host: '127.0.0.1',
    port,
    security: 'none',
    authentication: 'none',
    ...settings
  }
  const server = expectSuccess(await api.post<SmtpServer>('/smtp_servers', { smtp_server }))
  expectSuccess(await api.put('/delivery_routes/0', { delivery_route: { smtp_server_ids: [server.id] } }))
  expectSuccess(await api.put('/delivery_options', { delivery_options: { unsubscribes_elsewhere: true } }))
  return server
}

/** A list with these active subscribers. */
export async function listWith(api: Client, emails: readonly string[]): Promise<{ id: number }> {
  const list = await makeList(api)
  await importText(api, list.id, `email\n${emails.join('\n')}`)
  return list
}

/** A campaign that begins at once, to everyone on the list. */
export function sendNow(
  api: Client,
  listId: number,
  dispatch: Record<string, unknown> = {}
): Promise<CampaignDetail> {
  return makeCampaign(api, listId, {
    dispatch_attributes: {
      from_email: 'news@example.com',
      begins_at: Math.floor(Date.now() / 1000),
      ...dispatch
    }
  })
}

export async function journalOf(api: Client, campaignId: number): Promise<JournalCounts> {
  return expectSuccess(await api.get<JournalCounts>(`/campaigns/${campaignId}/journal`))
}

export async function messagesIn(
  api: Client,
  campaignId: number,
  state: string,
  perPage = 100
): Promise<JournaledMessage[]> {
  const path = `/campaigns/${campaignId}/journal/messages?state=${state}&per_page=${perPage}`
  return expectSuccess(await api.get<{ messages: JournaledMessage[] }>(path)).messages
}

export async function campaignOf(api: Client, id: number): Promise<CampaignDetail> {
  return expectSuccess(await api.get<CampaignDetail>(`/campaigns/${id}`))
}

/** Waits until a campaign has a state; at most so many milliseconds. */
export async function untilState(
  api: Client,
  id: number,
  state: string,
  longest = 20_000
): Promise<CampaignDetail> {
  for (const began = performance.now(); ; await pause(20)) {
    const campaign = await campaignOf(api, id)
    if (campaign.dispatch?.state === state) return campaign
    if (performance.now() - began > longest || campaign.dispatch?.state === 'failed') {
      throw new Error(`campaign ${id} is ${campaign.dispatch?.state ?? 'unknown'}, not ${state}`)
    }
  }
}

/** Waits until something holds; at most so many milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, longest = 20_000): Promise<void> {
  for (const began = performance.now(); !(await condition()); await pause(20)) {
    if (performance.now() - began > longest) throw new Error('it did not come to be')
  }
}

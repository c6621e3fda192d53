import { request } from 'node:http'
import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CampaignDetail, CampaignSummary } from '../src-main/api/campaigns/schema.ts'
import { recount } from '../src-main/api/subscriber-counts/recount.ts'
import { kyselyOver } from '../src-main/database/connection.ts'
import type { StatSummary } from '../src-main/api/statistics/schema.ts'
import type { Subscriber } from '../src-main/api/subscribers/schema.ts'
import { differences, statSummary } from './api/conformance/shapes.ts'
import { clientOfUser, makeOrganization } from './support/accounts.ts'
import { sharedApplication } from './support/application.ts'
import {
  deleteList,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from './support/builders.ts'
import { type FiledMessage, outboxOf } from './support/outbox.ts'
import { reactionsOf } from './support/reactions.ts'
import { tokenOf } from './support/unsubscribe.ts'

const started = sharedApplication()

interface Link {
  link_id: number
  url: string
  clicks_total: number
  clicks_unique: number
  clicks_unique_by_link: number
}

const html = `<html><body>
<p>Hello %%city%%</p>
<a href="https://example.com/?city=%%city%%&amp;x=1">Offer</a> <a href='http://example.com/B'>B</a>
<a href="%%unsubscribe_link%%">Unsubscribe</a> <a href="%%link_to_web_version%%">Web</a>
</body></html>`

/** A campaign that was sent to so many, and its messages. */
async function sent(
  recipients: number,
  settings: Record<string, unknown> = {}
): Promise<{ listId: number; campaign: CampaignDetail; messages: FiledMessage[] }> {
  const { api, dataDirectory } = started
  const list = await makeList(api)
  await makeField(api, list.id, 'City', 'text')
  for (let number = 0; number < recipients; number++) {
    const custom_fields = { City: `Zürich <${number}>` }
    await makeSubscriber(api, list.id, `p${number}@example.com`, { custom_fields })
  }
  const { dispatch_attributes, ...rest } = settings
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: {
      from_email: 'sender@example.com',
      begins_at: Math.floor(Date.now() / 1000),
      ...(dispatch_attributes as object)
    },
    ...rest
  })
  return { listId: list.id, campaign: await api.sent(id), messages: await outboxOf(dataDirectory, id) }
}

/** The addresses that a message's links lead to, in order; the picture that counts opens comes last. */
function linksIn({ body } = {} as FiledMessage): string[] {
  return [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
}

function follow(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', ...init })
}

async function summary(id: number): Promise<Partial<StatSummary>> {
  return (await started.api.get<CampaignDetail>(`/campaigns/${id}`)).data.stat_summary ?? {}
}

async function links(id: number, query = ''): Promise<Link[]> {
  return (await started.api.get<{ links: Link[] }>(`/campaigns/${id}/link_stats${query}`)).data.links
}

describe('the links of a message', () => {
  it('count each open, and each recipient once', async () => {
    const { campaign, messages } = await sent(2)
    const [first, second] = messages.map((message) => linksIn(message).at(-1) ?? '')
    for (const pixel of [first, first, second]) {
      const response = await follow(pixel ?? '')
      expect(response.headers.get('Content-Type')).toBe('image/gif')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
    }
    expect(await summary(campaign.id)).toMatchObject({
      opens_total: 3,
      opens_unique: 2,
      duplicate_opens: 1,
      unopened: 0,
      open_rate: 1,
      open_ratio: 1.5
    })
  })

  it("lead to their targets with the recipient's values, and count who clicked which", async () => {
    const { campaign, messages } = await sent(2)
    const [one, two] = messages.map(linksIn)
    const offer = await follow(one?.[0] ?? '')
    expect(offer.status).toBe(302)
    expect(offer.headers.get('Location')).toBe('https://example.com/?city=Z%C3%BCrich%20%3C0%3E&x=1')
    expect((await follow(two?.[1] ?? '')).headers.get('Location')).toBe('http://example.com/B')
    await follow(one?.[0] ?? '')
    await follow(one?.[1] ?? '')
    expect(await summary(campaign.id)).toMatchObject({
      clicks_total: 4,
      clicks_unique: 2,
      clicks_unique_by_link: 3,
      duplicate_clicks: 2,
      unclicked: 0
    })
    expect(await links(campaign.id)).toEqual([
      {
        link_id: expect.any(Number) as number,
        url: 'http://example.com/B',
        clicks_total: 2,
        clicks_unique: 1,
        clicks_unique_by_link: 2
      },
      {
        link_id: expect.any(Number) as number,
        url: 'https://example.com/?city=%%city%%&x=1',
        clicks_total: 2,
        clicks_unique: 1,
        clicks_unique_by_link: 1
      }
    ])
    expect(await links(campaign.id, '?url=*EXAMPLE.com/b')).toHaveLength(1)
    expect(await links(campaign.id, '?url=*/%3F*')).toHaveLength(1)
    expect(await links(campaign.id, '?content_id=999999')).toEqual([])
    expect(await links(campaign.id, '?per_page=1&page=1')).toHaveLength(1)
  })

  it('are unchanged if nothing is counted', async () => {
    const { messages } = await sent(1, { dispatch_attributes: { track_links: false, track_opens: false } })
    expect(linksIn(messages[0])[0]).toBe('https://example.com/?city=Z%C3%BCrich%20%3C0%3E&x=1')
    expect(messages[0]?.body).not.toContain('<img')
  })

  it('lead to the URL domain that the campaign has', async () => {
    await started.api.post('/url_domains', { url_domain: { domain: 'links.example.com' } })
    const { messages } = await sent(1, { dispatch_attributes: { url_domain_name: 'links.example.com' } })
    expect(linksIn(messages[0])[0]).toMatch(/^http:\/\/links\.example\.com\/c\/\d+\//)
  })

  it('show the message in the browser with a policy that blocks scripts', async () => {
    const { messages } = await sent(1)
    const response = await follow(linksIn(messages[0])[3] ?? '')
    expect(response.headers.get('Content-Security-Policy')).toMatch(/default-src 'none'.*sandbox/)
    expect(await response.text()).toContain('<p>Hello Zürich &lt;0&gt;</p>')
  })

  it('unsubscribe with a POST, which is counted once, and only ask with a GET', async () => {
    const { campaign, messages, listId } = await sent(1)
    const link = linksIn(messages[0])[2] ?? ''
    const asked = await follow(link)
    expect(await asked.text()).toContain('<button>Unsubscribe</button>')
    const path = `/mailing_lists/${listId}/subscribers/p0@example.com`
    expect((await started.api.get<Subscriber[]>(path)).data[0]?.status).toBe('active')
    for (const body of ['List-Unsubscribe=One-Click', '']) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      expect((await follow(link, { method: 'POST', headers, body })).status).toBe(200)
    }
    expect((await started.api.get<Subscriber[]>(path)).data[0]?.status).toBe('unsubscribed')
    expect(await summary(campaign.id)).toMatchObject({
      unsubs_total: 2,
      unsubs_unique: 1,
      unsubs_status_updated: 1,
      unsub_rate: 1
    })
  })

  it('work wherever mail is read: on other web pages, and under the name of a URL domain', async () => {
    const { campaign, messages } = await sent(1)
    const pixel = new URL(linksIn(messages[0]).at(-1) ?? '')
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { Host: 'links.example.com', 'Sec-Fetch-Site': 'cross-site' }
      request(pixel, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
    expect(await summary(campaign.id)).toMatchObject({ opens_unique: 1 })
  })

  it('of a message that the database no longer knows show a page that says so', async () => {
    const token = await tokenOf(started, 'view', { subscriberId: 1, sliceId: 999_999 })
    const response = await follow(`${started.app.baseUrl}/w/${token}`)
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('This message is no longer available')
    ])
  })

  it('that are forged have no effect', async () => {
    const { app } = started
    const { campaign, messages } = await sent(1)
    const [click = '', , unsubscribe = ''] = linksIn(messages[0])
    const token = unsubscribe.split('/').at(-1) ?? ''
    // The token to unsubscribe counts neither opens nor clicks, and the token of another subscriber is refused.
    await follow(`${app.baseUrl}/o/${token}`)
    await follow(click.replace(/\/\d+-/, '/999999-'))
    expect((await follow(`${app.baseUrl}/u/${token.replace(/^\d+/, '1')}`, { method: 'POST' })).status).toBe(
      404
    )
    expect(await summary(campaign.id)).toMatchObject({ opens_total: 0, clicks_total: 0, unsubs_total: 0 })
  })
})

describe('the API', () => {
  it('lists a campaign that was sent with exactly the counts and rates of the specification', async () => {
    const { listId } = await sent(1)
    const { data } = await started.api.get<CampaignSummary[]>(`/mailing_lists/${listId}/campaigns`)
    expect(differences(data[0]?.stats, statSummary)).toEqual([])
  })

  it('attributes an unsubscribe by token to the campaign that carried it', async () => {
    const { campaign, messages } = await sent(1)
    const token = (linksIn(messages[0])[2] ?? '').split('/').at(-1)
    const { data } = await started.api.post<Subscriber>('/subscribers/unsubscribe', {
      unsubscribe: { token }
    })
    expect(data.status).toBe('unsubscribed')
    expect(await summary(campaign.id)).toMatchObject({ unsubs_unique: 1, unsubs_status_updated: 1 })
  })

  it('refuses the token of a subscriber of another organization', async () => {
    const { messages } = await sent(1)
    const token = (linksIn(messages[0])[2] ?? '').split('/').at(-1)
    const stranger = await clientOfUser(started, {
      organizationId: await makeOrganization(started),
      role: 'organization_admin'
    })
    expect(await stranger.post('/subscribers/unsubscribe', { unsubscribe: { token } })).toMatchObject({
      success: false,
      error_code: 'validation_failed'
    })
  })

  it('triggers the autoresponders that wait for a campaign to be opened, with the first open', async () => {
    const { campaign, messages, listId } = await sent(1)
    await makeAutoresponder(started.api, listId, 'Opened', {
      trigger: 'campaign_open',
      trigger_campaign_to_open_id: campaign.id
    })
    const pixel = linksIn(messages[0]).at(-1) ?? ''
    await follow(pixel)
    await follow(pixel)
    expect(reactionsOf(started, listId)).toHaveLength(1)
  })

  it('counts those who opened a message again at once', async () => {
    const { listId, campaign, messages } = await sent(2)
    const clause = [{ type: 'campaign', operator: 'opened', campaign_id: campaign.id }]
    const counted = async () => {
      const path = `/mailing_lists/${listId}/segment_counts`
      return (await started.api.workbench<{ active: number }>('POST', path, { clause })).data.active
    }
    expect(await counted()).toBe(0)
    await follow(linksIn(messages[0]).at(-1) ?? '')
    await expect.poll(counted, { timeout: 20_000 }).toBe(1)
  })

  it('refuses an invalid day with a sentence', async () => {
    const path = `/organizations/${started.app.organizationId}/messages_sent/daily`
    for (const day of ['2014', '2014-01-31', '20140231']) {
      expect(await started.api.get(`${path}?start_date=${day}`)).toMatchObject({
        error_code: 'validation_failed',
        error_message: 'start_date must be a day such as 20140131'
      })
    }
  })

  it('sums the campaigns of a list up, by the time they started', async () => {
    const { listId, campaign, messages } = await sent(2)
    await follow(linksIn(messages[0]).at(-1) ?? '')
    const path = `/mailing_lists/${listId}/campaign_statistics`
    const { data } = await started.api.get<StatSummary>(path)
    expect(data).toMatchObject({ messages_sent: 2, opens_unique: 1, open_rate: 0.5 })
    const before = Math.floor(Date.parse(campaign.dispatch?.started_at ?? '') / 1000)
    const earlier = await started.api.get<StatSummary>(`${path}?started_at__end=${before}`)
    expect(earlier.data).toMatchObject({ messages_sent: 0, open_rate: 0 })
  })

  it('reports the messages that went out by day and month, also as CSV', async () => {
    const { campaign } = await sent(3)
    const path = `/organizations/${started.app.organizationId}/messages_sent`
    for (const unit of ['daily', 'monthly']) {
      const { data } = await started.api.get<{ report: Record<string, unknown>[] }>(`${path}/${unit}`)
      const [entry] = data.report.filter(({ campaign_id }) => campaign_id === campaign.id)
      expect(entry).toMatchObject({ campaign_name: campaign.name, autoresponder_id: null, messages_sent: 3 })
      expect(entry?.['time_period_start']).toMatch(unit === 'daily' ? /T00:00:00Z$/ : /-01T00:00:00Z$/)
      expect(entry?.['time_period_end']).toMatch(/T23:59:59Z$/)
    }
    const csv = await (await started.api.raw(`/ga/api/v2${path}/daily.csv`)).text()
    expect(csv.split('\n')[0]).toBe(
      'Time Period Start,Time Period End,Organization ID,Organization Name,Campaign ID,Campaign Name,Autoresponder ID,Autoresponder Name,Messages Sent'
    )
    expect(csv).toMatch(new RegExp(`,${campaign.id},${campaign.name},,,3\n`))
    expect(await started.api.get(`${path}/daily?start_date=20260230`)).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'start_date must be a day such as 20140131'
    })
    const past = await started.api.get<{ report: unknown[] }>(
      `${path}/daily?start_date=20140101&end_date=20140131`
    )
    expect(past.data.report).toEqual([])
  })

  it('reports the campaigns of all organizations to system administrators', async () => {
    const { campaign } = await sent(2)
    const { data } = await started.api.get<{
      campaign_report: { campaign: { id: number } }[]
    }>('/system_campaigns?exclude_active_campaigns=1')
    const entry = data.campaign_report.find((each) => each.campaign.id === campaign.id)
    expect(entry).toMatchObject({
      organization: { id: started.app.organizationId },
      campaign: {
        id: campaign.id,
        state: 'finished',
        paused: false,
        stats: {
          recipients: { total: 2, sent: 2, skip: 0, remaining: 0 },
          sent: { total: 2, accepted: 2, bounced: 0, in_queue: 0 }
        }
      }
    })
    const none = await started.api.get<{ campaign_report: unknown[] }>(
      '/system_campaigns?started_at__end=2014-01-01'
    )
    expect(none.data.campaign_report).toEqual([])
  })
})

describe('what was deleted', () => {
  /** A campaign with a seed that was sent and then deleted. */
  async function deletedCampaign() {
    const { data: seeds } = await started.api.post<{ id: number }>('/seed_lists', {
      seed_list: { name: `Seeds ${Math.random()}`, addresses_array: ['seed@example.com'] }
    })
    const { campaign, messages, listId } = await sent(1, {
      dispatch_attributes: { seed_list_ids: [seeds.id] }
    })
    const to = (address: string) => messages.find(({ headers }) => headers.get('to') === address)
    return { campaign, listId, seed: linksIn(to('seed@example.com')), person: linksIn(to('p0@example.com')) }
  }

  it('lets recipients unsubscribe after the campaign is deleted', async () => {
    const { campaign, listId, person } = await deletedCampaign()
    const deleted = await started.api.delete(`/campaigns/${campaign.id}`)
    expect(deleted.data).toEqual({ campaign: { id: campaign.id, name: campaign.name } })
    expect(await started.api.get(`/campaigns/${campaign.id}`)).toMatchObject({ error_code: 'not_found' })
    const link = person[2] ?? ''
    expect((await follow(link, { method: 'POST' })).status).toBe(200)
    const path = `/mailing_lists/${listId}/subscribers/p0@example.com`
    expect((await started.api.get<Subscriber[]>(path)).data[0]?.status).toBe('unsubscribed')
    await started.api.put(path, { subscriber: { status: 'active' } })
    const token = link.split('/').at(-1)
    expect(await started.api.post('/subscribers/unsubscribe', { unsubscribe: { token } })).toMatchObject({
      success: true,
      data: { status: 'unsubscribed' }
    })
  })

  it('keeps links that redirect and count nothing: of campaigns, of seeds and of subscribers', async () => {
    const { campaign, listId, seed, person } = await deletedCampaign()
    const city = (links: string[]) => follow(links[1] ?? '')
    expect((await city(seed)).headers.get('Location')).toBe('http://example.com/B')
    expect((await follow(seed[2] ?? '', { method: 'POST' })).status).toBe(200)
    expect((await follow(seed.at(-1) ?? '')).status).toBe(200)
    await started.api.delete(`/mailing_lists/${listId}/subscribers/p0@example.com`)
    expect((await city(person)).headers.get('Location')).toBe('http://example.com/B')
    expect((await follow(person[2] ?? '', { method: 'POST' })).status).toBe(200)
    expect(await summary(campaign.id)).toMatchObject({ opens_total: 0, clicks_total: 0, unsubs_total: 0 })
    await started.api.delete(`/campaigns/${campaign.id}`)
    expect((await city(person)).headers.get('Location')).toBe('http://example.com/B')
    expect(await (await follow(person[3] ?? '')).text()).toContain('This message is no longer available')
  })

  it.each(['campaign', 'list'])(
    'leaves no data about recipients: deleting a %s removes it in steps, while links still redirect',
    async (deleted) => {
      const { campaign, messages, listId } = await sent(1)
      const links = linksIn(messages[0])
      await follow(links[0] ?? '')
      await follow(links[1] ?? '')
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
      onTestFinished(() => void database.close())
      const count = (): unknown =>
        database
          .prepare(
            `WITH slices AS
             (SELECT stat_slices.id FROM stat_slices JOIN stats ON stats.id = stat_id WHERE campaign_id = @id)
           SELECT (SELECT count(*) FROM stat_events WHERE stat_slice_id IN slices) AS events,
             (SELECT count(*) FROM stat_recipients WHERE stat_slice_id IN slices) AS recipients,
             (SELECT purged_at IS NOT NULL FROM campaigns WHERE id = @id) AS is_purged`
          )
          .get({ id: campaign.id })
      // More than one step of the removal takes.
      database.exec(`INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, occurred_at)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
      SELECT stat_slice_id, type, 1000000 + n, email, 0, occurred_at FROM numbers,
        (SELECT * FROM stat_events ORDER BY id DESC LIMIT 1);
      INSERT INTO stat_recipients
      SELECT stat_slice_id, subscriber_id, occurred_at FROM stat_events WHERE subscriber_id > 1000000`)
      expect(count()).toMatchObject({ recipients: 1201, is_purged: 0 })
      if (deleted === 'campaign') {
        await started.api.delete(`/campaigns/${campaign.id}`)
        expect(count()).toMatchObject({ recipients: 1201, is_purged: 0 })
        // As after the days in which it can be restored; the next deletion has the application look.
        database.prepare('UPDATE campaigns SET expired = 1 WHERE id = ?').run(campaign.id)
        await started.api.delete(`/campaigns/${(await makeCampaign(started.api, listId)).id}`)
      } else {
        await deleteList(started.api, listId)
        expect(count()).toMatchObject({ recipients: 1201, is_purged: 0 })
        await started.api.workbench('POST', `/deleted_lists/${listId}/purge`)
      }
      await vi.waitFor(() => expect(count()).toEqual({ events: 0, recipients: 0, is_purged: 1 }), 20_000)
      expect((await follow(links[1] ?? '')).headers.get('Location')).toBe('http://example.com/B')
      expect(count()).toEqual({ events: 0, recipients: 0, is_purged: 1 })
      // What is kept of the counters has no events any more, and is not told to have drifted.
      expect((await recount(kyselyOver(database))).drifts).toEqual([])
    }
  )

  it('leaves the number of messages that an organization sent', async () => {
    const { campaign } = await sent(3)
    const path = `/organizations/${started.app.organizationId}/messages_sent/daily`
    const ofCampaign = async () =>
      (await started.api.get<{ report: { campaign_id: number }[] }>(path)).data.report.filter(
        ({ campaign_id }) => campaign_id === campaign.id
      )
    const before = await ofCampaign()
    expect(before).toMatchObject([{ messages_sent: 3 }])
    await started.api.delete(`/campaigns/${campaign.id}`)
    expect(await ofCampaign()).toEqual(before)
  })
})

it('the first click of a recipient who loaded no picture counts as an open, so that no rate exceeds 1', async () => {
  const { campaign, messages } = await sent(2)
  const [link = '', , , , pixel = ''] = linksIn(messages[0])
  await follow(link)
  await follow(link)
  await follow(pixel)
  expect(await summary(campaign.id)).toMatchObject({
    clicks_unique: 1,
    opens_unique: 1,
    opens_total: 2,
    click_to_open_rate: 1,
    open_rate: 0.5
  })
})

it('a link with letters beyond Latin-1 leads where they say', async () => {
  const { messages } = await sent(1, {
    contents: [{ subject: 'Hello', format: 'html', html: '<a href="https://example.com/猫?n=ł">Cat</a>' }]
  })
  const response = await follow(linksIn(messages[0])[0] ?? '')
  expect([response.status, response.headers.get('Location')]).toEqual([
    302,
    'https://example.com/%E7%8C%AB?n=%C5%82'
  ])
})

/** A browser that a person uses. */
const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36'

function followAs(url: string, userAgent: string, init: RequestInit = {}): Promise<Response> {
  return follow(url, { ...init, headers: { 'User-Agent': userAgent } })
}

async function people(id: number): Promise<unknown> {
  const { data } = await started.api.workbench<{ people: unknown }>('GET', `/campaigns/${id}/progress`)
  return data.people
}

describe('openings and clicks by programs', () => {
  it.each(['Mozilla/5.0', 'Barracuda Sentinel (EE)', 'python-requests/2.32', ''])(
    'are counted as specified, and told apart by the name "%s"',
    async (name) => {
      const { campaign, messages } = await sent(1)
      const [offer = '', , , , pixel = ''] = linksIn(messages[0])

      await followAs(pixel, name)
      await followAs(offer, name)

      expect(await summary(campaign.id)).toMatchObject({ opens_unique: 1, clicks_unique: 1 })
      expect(await people(campaign.id)).toMatchObject({ opens_unique: 0, clicks_unique: 0, clicks_total: 0 })
    }
  )

  it('are told apart where two links of a message are followed within two seconds', async () => {
    const { campaign, messages } = await sent(1)
    const [offer = '', second = ''] = linksIn(messages[0])

    await followAs(offer, browser)
    expect(await people(campaign.id)).toMatchObject({ opens_unique: 1, clicks_unique: 1 })
    await followAs(second, browser)

    expect(await summary(campaign.id)).toMatchObject({ opens_unique: 1, clicks_total: 2, clicks_unique: 1 })
    expect(await people(campaign.id)).toMatchObject({ opens_unique: 0, clicks_total: 0, clicks_unique: 0 })
  })

  it.each([
    { name: 'the page for unsubscribing', index: 2, method: 'GET' },
    { name: 'the web version', index: 3, method: 'GET' },
    { name: 'a link by HEAD', index: 0, method: 'HEAD' }
  ])('are told apart by a visit of $name, which counts nothing itself', async ({ index, method }) => {
    const { campaign, messages } = await sent(1)
    const links = linksIn(messages[0])

    await followAs(links[index] ?? '', browser, { method })
    expect(await summary(campaign.id)).toMatchObject({ opens_total: 0, clicks_total: 0, unsubs_total: 0 })
    await followAs(links[0] ?? '', browser)

    expect(await summary(campaign.id)).toMatchObject({ clicks_unique: 1 })
    expect(await people(campaign.id)).toMatchObject({ clicks_unique: 0 })
  })

  it('leave a person who follows the same link twice', async () => {
    const { campaign, messages } = await sent(1)
    const [offer = ''] = linksIn(messages[0])

    await followAs(offer, browser)
    await followAs(offer, browser)

    expect(await people(campaign.id)).toMatchObject({ opens_unique: 1, clicks_total: 2, clicks_unique: 1 })
  })

  it('leave a person who opens after a proxy did', async () => {
    const { campaign, messages } = await sent(1)
    const pixel = linksIn(messages[0]).at(-1) ?? ''

    await followAs(pixel, 'Mozilla/5.0')
    expect(await people(campaign.id)).toMatchObject({ opens_total: 0, opens_unique: 0 })
    await followAs(pixel, `${browser} (via ggpht.com GoogleImageProxy)`)

    expect(await summary(campaign.id)).toMatchObject({ opens_total: 2, opens_unique: 1 })
    expect(await people(campaign.id)).toMatchObject({ opens_total: 1, opens_unique: 1 })
  })
})

import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CampaignLogEntry } from '../../src-main/api/campaigns/schema.ts'
import type { Event } from '../../src-main/api/events/schema.ts'
import { usualSchedule } from '../../src-main/delivery/smtp/retry-schedule.ts'
import { sharedApplication, startApplication } from '../support/application.ts'
import { bounceReport, complaintReport, tokenOf } from '../support/bounce-report.ts'
import { expectSuccess, makeField } from '../support/builders.ts'
import { mailServer } from '../support/mail-server.ts'
import { outboxOf } from '../support/outbox.ts'
import { remoteListOn, sendQuery, sqliteFile } from '../support/remote-lists.ts'
import { campaignOf, messagesIn, routeTo, shortSchedule, until, untilState } from '../support/smtp-route.ts'

const started = sharedApplication({ retrySchedule: shortSchedule })

async function logOf(id: number): Promise<string[]> {
  const entries = expectSuccess(await started.api.get<CampaignLogEntry[]>(`/campaigns/${id}/history`))
  return entries.map(({ message }) => message)
}

async function jobOf(id: number): Promise<{ state: string; state2: string | null } | undefined> {
  const jobs = expectSuccess(
    await started.api.get<{ id: number; state: string; state2: string | null; job_type: string }[]>(
      '/jobs/unfinished'
    )
  )
  return jobs.find((job) => job.id === id && job.job_type === 'Campaign')
}

const twoContacts =
  "INSERT INTO contacts VALUES (7, 'anna@example.org', 'Anna'), (8, 'Bob@Example.org', NULL)"

describe('a campaign to a Remote List', () => {
  it('goes to the rows of its query, with other columns as the values of codes', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const query = 'SELECT Email, id AS Distinct_Id, name AS "First Name", 1.5 AS score FROM contacts'

    const { id } = await sendQuery(started.api, list.id, query, {
      contents: [
        {
          subject: 'Hello %%first_name%%',
          format: 'text',
          text: '%%score%% %%subscriber_id%% %%data_subscribe_date_long%%.'
        }
      ]
    })
    await untilState(started.api, id, 'finished')

    const messages = await outboxOf(started.dataDirectory, id)
    expect(messages.map(({ headers }) => [headers.get('to'), headers.get('subject')])).toEqual([
      ['anna@example.org', 'Hello Anna'],
      ['Bob@example.org', 'Hello']
    ])
    expect(messages.map(({ body }) => body.trim())).toEqual(['1.5 7 .', '1.5 8 .'])
  })

  it('takes columns for codes whatever the fields of the list are, and leaves others of them blank', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    await makeField(started.api, list.id, 'Score', 'number')
    await makeField(started.api, list.id, 'City', 'text')

    const { id } = await sendQuery(
      started.api,
      list.id,
      "SELECT email, 'high' AS score FROM contacts WHERE id = 7",
      {
        contents: [
          { subject: 'x', format: 'text', text: '%%score%%|%%city%%|%%nothing%%|%%link_to_web_version%%' }
        ]
      }
    )
    await untilState(started.api, id, 'finished')

    const [message] = await outboxOf(started.dataDirectory, id)
    expect(message?.body.trim()).toBe('high||%%nothing%%|%%link_to_web_version%%')
  })

  it('skips rows that cannot be recipients, counts them and tells of the first five', async () => {
    const bad = Array.from({ length: 6 }, (_, index) => `(NULL, 'no address ${index}', 'x')`).join(', ')
    const list = await remoteListOn(
      started.api,
      await sqliteFile(`${twoContacts}; INSERT INTO contacts VALUES ${bad}`)
    )

    const { id } = await sendQuery(
      started.api,
      list.id,
      "SELECT email, CASE WHEN email LIKE 'Bob%' THEN 0 END AS distinct_id FROM contacts ORDER BY id"
    )
    await untilState(started.api, id, 'finished')

    expect(await outboxOf(started.dataDirectory, id)).toHaveLength(1)
    const log = await logOf(id)
    expect(log[1]).toMatch(/^8 rows were read in \d+\.\d s: 1 recipients, 7 skipped\.$/)
    expect(log.filter((entry) => entry.startsWith('Skipped: '))).toEqual([
      'Skipped: row 2 has a distinct_id that is neither empty nor a number from 1 to 2147483647: 0',
      ...[3, 4, 5, 6].map((row) => `Skipped: row ${row} has no valid email: no address ${row - 3}`)
    ])
  })

  it.each([
    ['SELECT email FROM nowhere', /^the database CRM \d+ refuses the query: “no such table: nowhere”$/],
    ['SELECT name FROM contacts', /^the query returns no column “email”, only name\./],
    ['SELECT email, EMAIL AS "eMail" FROM contacts', /^the query returns the column “eMail” twice/],
    ['SELECT email, 1 AS a_b, 2 AS "A b" FROM contacts', /^the query returns the column “A b” twice/],
    ['DELETE FROM contacts', /refuses the query because it would change data/]
  ])('asks again after two pauses, and is paused then: %s', async (query, sentence) => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))

    const { id } = await sendQuery(started.api, list.id, query)
    await until(async () => (await campaignOf(started.api, id)).dispatch?.paused === true)

    expect(await jobOf(id)).toMatchObject({ state: 'sending', state2: 'paused_remote_list_error' })
    const log = await logOf(id)
    expect(log.slice(1).map((entry) => entry.split(':')[0])).toEqual([
      'The recipients could not be read; next attempt in 1 min',
      'The recipients could not be read; next attempt in 1 min',
      'Paused'
    ])
    expect(log.at(-1)?.replace('Paused: ', '')).toMatch(sentence)
    expect(await outboxOf(started.dataDirectory, id)).toEqual([])
  })

  it.each([
    [
      "SELECT email, CAST(x'41ff42' AS TEXT) AS name FROM contacts",
      'bytes in the column “name” that are not valid UTF-8'
    ],
    ["SELECT email, 'a' || char(0) || 'b' AS name FROM contacts", 'a NUL byte in the column “name”'],
    [
      'SELECT email, hex(zeroblob(600000)) AS name FROM contacts',
      'more than 1000000 characters in the column “name”'
    ]
  ])('skips rows with values that no message can have: %s', async (query, reason) => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))

    const { id } = await sendQuery(
      started.api,
      list.id,
      `${query} UNION ALL SELECT 'carl@example.org', 'Carl'`
    )
    await untilState(started.api, id, 'finished')

    expect((await outboxOf(started.dataDirectory, id)).map(({ headers }) => headers.get('to'))).toEqual([
      'carl@example.org'
    ])
    expect((await logOf(id)).filter((entry) => entry.startsWith('Skipped'))).toHaveLength(2)
    expect((await logOf(id))[2]).toContain(reason)
  })

  it('refuses a query with more columns than codes can be', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const columns = Array.from({ length: 600 }, (_, index) => `1 AS c${index}`).join(', ')

    const { id } = await sendQuery(started.api, list.id, `SELECT email, ${columns} FROM contacts`)
    await until(async () => (await campaignOf(started.api, id)).dispatch?.paused === true)

    expect((await logOf(id)).at(-1)).toBe('Paused: the query returns 601 columns; at most 500 are possible')
  })

  it('takes the columns that the query has when sending begins', async () => {
    const target = await sqliteFile(twoContacts)
    const list = await remoteListOn(started.api, target)
    const file = new Database(target.database)
    file.exec('ALTER TABLE contacts RENAME COLUMN name TO first_name')
    file.close()

    const { id } = await sendQuery(started.api, list.id, 'SELECT * FROM contacts WHERE id = 7', {
      contents: [{ subject: 'x', format: 'text', text: '%%name%% %%first_name%%' }]
    })
    await untilState(started.api, id, 'finished')

    const [message] = await outboxOf(started.dataDirectory, id)
    expect(message?.body.trim()).toBe('%%name%% Anna')
  })

  it('continues when it is resumed after its database connection was corrected', async () => {
    const target = await sqliteFile(twoContacts)
    const list = await remoteListOn(started.api, { ...target, database: `${target.database}-later` })
    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts')
    await until(async () => (await campaignOf(started.api, id)).dispatch?.paused === true)

    await started.api.put(`/database_connections/${list.database_connection_id}`, {
      database_connection: { database: target.database }
    })
    expectSuccess(await started.api.post(`/campaigns/${id}/resume`))
    await untilState(started.api, id, 'finished')

    expect(await outboxOf(started.dataDirectory, id)).toHaveLength(2)
  })

  it('takes another query while it is paused without recipients, and none once they were read', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contracts')
    await until(async () => (await campaignOf(started.api, id)).dispatch?.paused === true)
    const useQuery = (query: string) =>
      started.api.put(`/campaigns/${id}`, { campaign: { segmentation_criteria_remote_sql: query } })

    expectSuccess(await useQuery('SELECT email FROM contacts'))
    expectSuccess(await started.api.post(`/campaigns/${id}/resume`))
    await untilState(started.api, id, 'finished')

    expect(await outboxOf(started.dataDirectory, id)).toHaveLength(2)
    expect(await useQuery('SELECT email FROM nowhere')).toMatchObject({ error_code: 'validation_failed' })
  })

  it('reads its database at once when it is continued', async () => {
    const { api } = await startApplication(undefined, {
      retrySchedule: { ...shortSchedule, readingPauses: [3_600_000] }
    })
    const list = await remoteListOn(api, await sqliteFile(twoContacts))
    const { id } = await sendQuery(api, list.id, 'SELECT email FROM contact')
    const hasWaited = async (): Promise<boolean> => {
      const entries = expectSuccess(await api.get<CampaignLogEntry[]>(`/campaigns/${id}/history`))
      return entries.some(({ message }) => message.includes('could not be read'))
    }
    await until(hasWaited)

    expectSuccess(await api.post(`/campaigns/${id}/pause`))
    const campaign = { segmentation_criteria_remote_sql: 'SELECT email FROM contacts' }
    expectSuccess(await api.put(`/campaigns/${id}`, { campaign }))
    expectSuccess(await api.post(`/campaigns/${id}/resume`))

    expect((await untilState(api, id, 'finished')).stat_summary?.messages_sent).toBe(2)
  })

  it('takes its query from a template that it is made of', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const query = 'SELECT email FROM contacts'
    const template = expectSuccess(
      await started.api.post<{ id: number }>(`/mailing_lists/${list.id}/templates`, {
        campaign: { name: 'News', segmentation_criteria_remote_sql: query }
      })
    )

    const campaign = expectSuccess(
      await started.api.post<{ segmentation_criteria_remote_sql: string | null }>(
        `/mailing_lists/${list.id}/campaigns`,
        {
          ...{ source_template_id: template.id, duplicate_segmentation_criteria: true },
          campaign: { name: 'News' }
        }
      )
    )

    expect(campaign.segmentation_criteria_remote_sql).toBe(query)
  })

  it('is not found after its list was deleted', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const later = Math.floor(Date.now() / 1000) + 3600
    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts', {
      dispatch_attributes: { begins_at: later }
    })

    const path = `/mailing_lists/${list.id}`
    const { data } = await started.api.get<{ delete_confirmation_code: string }>(
      `${path}/delete_confirmation_code`
    )
    expectSuccess(await started.api.delete(`${path}/confirmed/${data.delete_confirmation_code}`))

    expect(await started.api.get(`/campaigns/${id}`)).toMatchObject({ error_code: 'not_found' })
  })

  it('fails without a query, and says so', async () => {
    const list = await remoteListOn(started.api, await sqliteFile())

    const { id } = await sendQuery(started.api, list.id, '')
    await untilState(started.api, id, 'failed')

    expect(await logOf(id)).toEqual([
      'Failed: a campaign to a Remote List needs a query that returns its recipients'
    ])
  })

  it('leaves out suppressed addresses, and says how many', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const suppression = expectSuccess(
      await started.api.post<{ id: number }>('/suppression_lists', {
        suppression_list: { name: 'Never', mailing_list_id: list.id }
      })
    )
    await started.api.post(`/suppression_lists/${suppression.id}/suppressed_addresses/create_multiple`, {
      data: ['bob@example.org']
    })

    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts')
    const campaign = await untilState(started.api, id, 'finished')

    expect(campaign.stat_summary?.messages_sent).toBe(1)
    expect((await logOf(id)).at(-1)).toMatch(/^Finished\. 1 recipients were left out/)
  })

  it('is a split test like any other, which reaches each recipient once', async () => {
    const target = await sqliteFile(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
       INSERT INTO contacts SELECT i, 'u' || i || '@example.org', 'x' FROM n`
    )
    const list = await remoteListOn(started.api, target)

    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts', {
      contents: ['A', 'B'].map((name) => ({ name, subject: name, format: 'text', text: 'x' })),
      dispatch_attributes: {
        autowinner_enabled: true,
        autowinner_percentage: 20,
        autowinner_delay_amount: 0,
        autowinner_delay_unit: 'minutes',
        autowinner_metric: 'opens_unique'
      }
    })
    await untilState(started.api, id, 'finished')

    const messages = await outboxOf(started.dataDirectory, id)
    expect(new Set(messages.map(({ headers }) => headers.get('to'))).size).toBe(500)
    expect(messages).toHaveLength(500)
    expect(messages.filter(({ headers }) => headers.get('subject') === 'B').length).toBeGreaterThanOrEqual(50)
  })

  it('deletes what it has read once it is over', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))

    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts')
    await untilState(started.api, id, 'finished')

    await until(async () => !existsSync(join(started.dataDirectory, 'spools', `campaign-${id}.db`)))
  })
})

it('a database that gives no recipients is asked again after 1 and after 5 minutes', () => {
  expect(usualSchedule.readingPauses).toEqual([60_000, 300_000])
})

describe('a recipient of a Remote List', () => {
  const content = {
    subject: 'x',
    format: 'both',
    html: '<a href="https://example.com/%%name%%">a</a> <a href="%%unsubscribe_link%%">u</a>',
    text: 'x'
  }

  async function sentTo(where = '1'): Promise<{ id: number; listId: number; links: string[] }> {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const query = `SELECT email, id AS distinct_id, name FROM contacts WHERE ${where}`
    const { id } = await sendQuery(started.api, list.id, query, {
      contents: [content],
      dispatch_attributes: { track_links: true, track_opens: true }
    })
    await untilState(started.api, id, 'finished')
    const [message] = await outboxOf(started.dataDirectory, id)
    const links = Array.from((message?.body ?? '').matchAll(/(?:href|src)="([^"]*)"/g), ([, link = '']) =>
      link.replaceAll('&amp;', '&')
    )
    return { id, listId: list.id, links }
  }

  const open = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { redirect: 'manual', headers: { 'User-Agent': 'Firefox' }, ...init })

  it('is counted with opens and clicks, and led to where the values of their row say, also after these are deleted', async () => {
    const { id, links } = await sentTo('id = 7')
    const [click = '', , pixel = ''] = links

    const answer = await open(click)
    await open(pixel)

    expect(answer.headers.get('location')).toBe('https://example.com/Anna')
    expect((await campaignOf(started.api, id)).stat_summary).toMatchObject({
      clicks_unique: 1,
      opens_unique: 1
    })
  })

  it('is not led to another target than the link was signed for', async () => {
    const { links } = await sentTo('id = 7')

    const answer = await open((links[0] ?? '').replace('Anna', 'Eve'))

    expect(answer.headers.get('location')).not.toContain('Eve')
  })

  it('is named in events by their place in the campaign and their distinct_id', async () => {
    const { id, links } = await sentTo('id = 8')
    const last = expectSuccess(await started.api.get<{ last: number }>('/events/follow')).last

    await open(links[0] ?? '')
    await open(links[1] ?? '', { method: 'POST', body: 'List-Unsubscribe=One-Click' })

    const { events } = expectSuccess(
      await started.api.get<{ events: Event[] }>(`/events/follow?after=${last}`)
    )
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'studio_open',
      'studio_click',
      'studio_unsub'
    ])
    for (const event of events) {
      expect(event).toMatchObject({
        ...{ studio_subscriber_id: null, email: 'Bob@Example.org', studio_campaign_id: id },
        ...{ studio_rl_seq_id: 1, studio_rl_distinct_id: 8 }
      })
    }
  })

  it('raises studio_unsub by the unsubscribe header, whatever links the message has', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts WHERE id = 7')
    await untilState(started.api, id, 'finished')
    const [message] = await outboxOf(started.dataDirectory, id)
    const last = expectSuccess(await started.api.get<{ last: number }>('/events/follow')).last

    const address = /<(http[^>]*)>/.exec(message?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
    await open(address, { method: 'POST', body: 'List-Unsubscribe=One-Click' })

    const { events } = expectSuccess(
      await started.api.get<{ events: Event[] }>(`/events/follow?after=${last}`)
    )
    expect(events).toMatchObject([{ event_type: 'studio_unsub', email: 'anna@example.org' }])
  })

  it('is not in the next campaign after an unsubscribe, which is counted and changes no status', async () => {
    const { id, listId, links } = await sentTo()

    const page = await (await open(links[1] ?? '')).text()
    await open(links[1] ?? '', { method: 'POST', body: 'List-Unsubscribe=One-Click' })

    expect(page).toContain('<form')
    expect((await campaignOf(started.api, id)).stat_summary).toMatchObject({
      ...{ unsubs_total: 1, unsubs_unique: 1, unsubs_status_updated: 0 }
    })
    const next = await sendQuery(started.api, listId, 'SELECT email FROM contacts')
    await untilState(started.api, next.id, 'finished')
    const again = await outboxOf(started.dataDirectory, next.id)
    expect(again.map(({ headers }) => headers.get('to'))).toEqual(['Bob@example.org'])
  })

  it('can undo an unsubscribe for a moment', async () => {
    const { id, links } = await sentTo('id = 7')
    await open(links[1] ?? '', { method: 'POST', body: 'List-Unsubscribe=One-Click' })

    const answer = await open(links[1] ?? '', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'undo=1'
    })

    expect(answer.status).toBe(200)
    expect((await campaignOf(started.api, id)).stat_summary).toMatchObject({
      ...{ unsubs_total: 0, unsubs_status_updated: 0 }
    })
  })

  it('is found by the address: in the journal, and by a bounce that names the Message-ID alone', async () => {
    const server = await mailServer()
    await routeTo(started.api, server.port)
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const { id } = await sendQuery(started.api, list.id, 'SELECT email FROM contacts')
    await untilState(started.api, id, 'finished')
    const sent = server.received.find(({ to }) => to === 'Bob@Example.org')?.content ?? ''
    const messageId = /^Message-ID: (.*)$/im.exec(sent)?.[1] ?? ''

    const { messages } = expectSuccess(
      await started.api.get<{ messages: unknown[] }>(
        `/campaigns/${id}/journal/messages?state=accepted&email=bob@EXAMPLE.org`
      )
    )
    const bounce = bounceReport('bob@example.org', '').replace(
      'X-Listwright-Message: ',
      `Message-ID: ${messageId}`
    )
    const answer = await started.api.raw('/ga/api/v2/received_messages', { method: 'POST', body: bounce })

    expect(messages).toMatchObject([{ email: 'Bob@Example.org', state: 'accepted' }])
    expect(answer.status).toBe(200)
    expect((await campaignOf(started.api, id)).stat_summary).toMatchObject({ bounces_unique_hard: 1 })
  })

  it('is counted with a bounce and a complaint, which change no status', async () => {
    const server = await mailServer()
    await routeTo(started.api, server.port)
    const list = await remoteListOn(started.api, await sqliteFile(twoContacts))
    const { id } = await sendQuery(started.api, list.id, 'SELECT email, id AS distinct_id FROM contacts')
    await untilState(started.api, id, 'finished')
    const tokenFor = (address: string): string =>
      tokenOf(server.received.find(({ to }) => to === address)?.content)
    const receive = async (message: string): Promise<void> => {
      const answer = await started.api.raw('/ga/api/v2/received_messages', { method: 'POST', body: message })
      expect(answer.status).toBe(200)
    }

    await receive(bounceReport('anna@example.org', tokenFor('anna@example.org')))
    await receive(complaintReport('Bob@Example.org', tokenFor('Bob@Example.org')))

    expect((await campaignOf(started.api, id)).stat_summary).toMatchObject({
      ...{ bounces_unique: 1, bounces_unique_hard: 1, bounces_status_updated: 0 },
      ...{ scomps_total: 1, scomps_unique: 1, scomps_status_updated: 0 }
    })
    expect(await messagesIn(started.api, id, 'accepted')).toMatchObject([
      { email: 'anna@example.org' },
      { email: 'Bob@Example.org' }
    ])
  })
})

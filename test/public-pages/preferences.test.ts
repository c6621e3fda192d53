import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import { makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication, startApplication } from '../support/application.ts'
import {
  allSubscribers,
  deleteList,
  expectSuccess,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { addGate, fetchNow, openGate } from '../support/gate.ts'
import { outboxOf } from '../support/outbox.ts'
import { until } from '../support/smtp-route.ts'
import { unsubscribeTokenOf } from '../support/unsubscribe.ts'

const started = sharedApplication()

async function publish(
  api: Client,
  list: { id: number },
  settings: Record<string, unknown> = {}
): Promise<void> {
  const public_pages = { is_public: true, ...settings }
  expectSuccess(await api.put(`/mailing_lists/${list.id}/public_pages`, { public_pages }))
}

/** A message to one reader of a list. @returns the link that unsubscribes */
async function linkTo(
  list: MailingList,
  email: string,
  app = started
): Promise<{ link: string; campaignId: number }> {
  await makeSubscriber(app.api, list.id, email)
  const { id } = await makeCampaign(app.api, list.id, {
    contents: [{ subject: 'Hi', format: 'html', html: '<a href="%%unsubscribe_link%%">U</a>' }],
    dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  await app.api.sent(id)
  const [message] = await outboxOf(app.dataDirectory, id)
  return { link: /href="([^"]+)"/.exec(message?.body ?? '')?.[1] ?? '', campaignId: id }
}

async function statusesOf(list: { id: number }, api = started.api): Promise<Record<string, string>> {
  return Object.fromEntries((await allSubscribers(api, list.id)).map(({ email, status }) => [email, status]))
}

async function unsubscribeLink(subscriberId: number): Promise<string> {
  return `${started.api.baseUrl.replace(/\/ga.*/, '')}/u/${await unsubscribeTokenOf(started, subscriberId)}`
}

function post(url: string, fields: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
}

describe('the page of preferences', () => {
  it('offers the public lists of the organization and the one of the message, with what the reader gets', async () => {
    const [news, offers, hidden] = [
      await makeList(started.api, { name: 'News' }),
      await makeList(started.api, { name: 'Offers' }),
      await makeList(started.api, { name: 'Staff' })
    ]
    await publish(started.api, offers, { description: 'Once a month' })
    const { link } = await linkTo(news, 'anna@example.com')

    const asking = await (await fetch(link)).text()
    const html = await (await fetch(`${link}?preferences=1`)).text()

    expect(asking).toContain('<a href="?preferences=1">Choose what you get instead</a>')
    expect(html).toContain('Once a month')
    expect([...html.matchAll(/name="list_(\d+)"/g)].map(([, id]) => Number(id))).toEqual([news.id, offers.id])
    expect(html).toContain('Leave it as it is: you get it')
    expect(html).toContain('Leave it as it is: you do not get it')
    expect(html).not.toContain(hidden.name)
  })

  it('applies what was chosen, counts an unsubscribe for its campaign, and leaves the rest', async () => {
    const [news, offers, hidden] = [
      await makeList(started.api),
      await makeList(started.api),
      await makeList(started.api)
    ]
    await publish(started.api, offers)
    const { link, campaignId } = await linkTo(news, 'Ben@example.com')

    const answer = await post(`${link}?preferences=1`, {
      [`list_${news.id}`]: '0',
      [`list_${offers.id}`]: '1',
      [`list_${hidden.id}`]: '1'
    })

    expect(await answer.text()).toContain('Saved')
    expect(await statusesOf(news)).toEqual({ 'Ben@example.com': 'unsubscribed' })
    expect(await statusesOf(offers)).toEqual({ 'Ben@example.com': 'active' })
    expect(await statusesOf(hidden)).toEqual({})
    const campaign = await started.api.get<{ stat_summary: { unsubs_unique: number } }>(
      `/campaigns/${campaignId}`
    )
    expect(campaign.data.stat_summary.unsubs_unique).toBe(1)
  })

  it('makes a reader active again on a list that they had left', async () => {
    const [news, offers] = [await makeList(started.api), await makeList(started.api)]
    await publish(started.api, offers)
    await makeSubscriber(started.api, offers.id, 'back@example.com', { status: 'unsubscribed' })
    const { link } = await linkTo(news, 'back@example.com')

    await post(`${link}?preferences=1`, { [`list_${offers.id}`]: '1', [`list_${news.id}`]: '' })

    expect(await statusesOf(offers)).toEqual({ 'back@example.com': 'active' })
    expect(await statusesOf(news)).toEqual({ 'back@example.com': 'active' })
  })

  it('unsubscribes everyone with the address, on a list with another primary key', async () => {
    const offers = await makeList(started.api)
    await publish(started.api, offers)
    const news = await makeList(started.api)
    const key = await makeField(started.api, news.id, 'Key', 'text', { required: true })
    expectSuccess(
      await started.api.put(`/mailing_lists/${news.id}`, {
        mailing_list: { primary_key_custom_field_id: key.id }
      })
    )
    const people = await Promise.all(
      ['1', '2'].map((Key) =>
        makeSubscriber(started.api, news.id, 'both@example.com', { custom_fields: { Key } })
      )
    )
    const link = await unsubscribeLink(people[1]?.id ?? 0)

    await post(`${link}?preferences=1`, { [`list_${news.id}`]: '0' })

    const all = await allSubscribers(started.api, news.id)
    expect(all.map(({ status }) => status)).toEqual(['unsubscribed', 'unsubscribed'])
  })

  it('unsubscribes also from a list that is deleted, which may be restored', async () => {
    const [news, offers] = [await makeList(started.api), await makeList(started.api)]
    await publish(started.api, offers)
    const { id } = await makeSubscriber(started.api, news.id, 'late@example.com')
    const link = await unsubscribeLink(id)
    await deleteList(started.api, news.id)

    await post(`${link}?preferences=1`, { [`list_${news.id}`]: '0' })

    const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
    const status = database.prepare('SELECT status FROM subscribers WHERE id = ?').pluck().get(id)
    database.close()
    expect(status).toBe('unsubscribed')
  })

  it.each(['scomp', 'deactivated'])('leaves who is %s on a list as they are', async (status) => {
    const [news, offers] = [await makeList(started.api), await makeList(started.api)]
    await publish(started.api, offers)
    await makeSubscriber(started.api, offers.id, 'a@example.com', { status })
    const { id } = await makeSubscriber(started.api, news.id, 'a@example.com')

    await post(`${await unsubscribeLink(id)}?preferences=1`, { [`list_${offers.id}`]: '1' })

    expect(await statusesOf(offers)).toEqual({ 'a@example.com': status })
  })

  it('answers 404 to a link that was made up', async () => {
    const answer = await post(`${started.api.baseUrl}/u/1-1-${'0'.repeat(40)}?preferences=1`, {})
    expect(answer.status).toBe(404)
  })

  it('is not there while an organization has nothing else to offer', async () => {
    const app = await startApplication()
    const news = await makeList(app.api)
    const other = await systemAdminIn(app.app, await makeOrganization(app))
    await publish(other, await makeList(other))
    await publish(app.api, news)
    const { link } = await linkTo(news, 'anna@example.com', app)

    expect(await (await fetch(link)).text()).not.toContain('?preferences')
  })

  it('works through a gate, and takes effect once it is fetched', async () => {
    const app = await startApplication()
    const gate = await openGate()
    const domain = await addGate(app.api, gate)
    const news = await makeList(app.api, { name: 'News', d_url_domain: new URL(gate.address).host })
    const offers = await makeList(app.api, { name: 'Offers' })
    await publish(app.api, offers)
    const { link } = await linkTo(news, 'anna@example.com', app)
    expect(link.startsWith(gate.address)).toBe(true)

    const html = await (await fetch(`${link}?preferences=1`)).text()
    const saved = await post(`${link}?preferences=1`, {
      [`list_${news.id}`]: '0',
      [`list_${offers.id}`]: '1'
    })
    await fetchNow(app.api, domain)
    await until(async () => (await statusesOf(offers, app.api))['anna@example.com'] === 'active')

    expect(await (await fetch(link)).text()).toContain('?preferences')
    expect(html).toContain('Leave it as it is')
    expect(await saved.text()).toContain('Saved')
    expect(await statusesOf(news, app.api)).toEqual({ 'anna@example.com': 'unsubscribed' })
  })
})

describe('the look of the pages of a list', () => {
  const pixel =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

  it('is on each of them: logo, color and language', async () => {
    const list = await makeList(started.api, { d_from_name: 'The Bakery' })
    const public_pages = { logo: pixel, color: '#ffcc00', language: 'de' }
    expectSuccess(await started.api.put(`/mailing_lists/${list.id}/public_pages`, { public_pages }))
    const { link } = await linkTo(list, 'anna@example.com')

    const html = await (await fetch(link, { headers: { 'Accept-Language': 'en' } })).text()

    expect(html).toContain(`<img class="logo" src="${pixel}" alt="">`)
    expect(html).toContain('--accent:#ffcc00;--on-accent:#000')
    expect(html).toContain('<html lang="de">')
    expect(html).toContain('The Bakery')
  })

  it.each([
    [{ color: 'red' }, 'color'],
    [{ color: '#fff' }, 'color'],
    [{ logo: 'https://example.com/logo.png' }, 'logo'],
    [{ logo: 'data:image/svg+xml;base64,AAAA' }, 'logo'],
    [{ language: 'fr' }, 'language']
  ])('refuses %j', async (public_pages, field) => {
    const list = await makeList(started.api)
    const { error_message } = await started.api.put(`/mailing_lists/${list.id}/public_pages`, {
      public_pages
    })
    expect(error_message).toContain(field)
  })
})

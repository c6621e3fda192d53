import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { PendingSubscription, WebForm } from '../../src-main/api/web-forms/schema.ts'
import { makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  allSubscribers,
  expectSuccess,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import { type PassedRequest, startFaultProxy } from '../support/fault-proxy.ts'
import { messagesIn, outboxOf } from '../support/outbox.ts'
import { addGate, fetchNow, openGate } from '../support/gate.ts'
import { until } from '../support/smtp-route.ts'

const started = sharedApplication()

async function makeForm(settings: Record<string, unknown> = {}, list?: MailingList) {
  const { api } = started
  const owner = list ?? (await makeList(api, { name: 'News', d_from_email: 'news@example.com' }))
  const web_form = { name: 'Website', has_page: true, requires_confirmation: false, ...settings }
  const path = `/mailing_lists/${owner.id}/web_forms`
  const form = expectSuccess(await api.post<WebForm>(path, { web_form }))
  return { list: owner, form, url: form.page_url ?? '' }
}

function post(url: string, fields: Record<string, string> | [string, string][]): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
}

async function pendingOf(list: { id: number }): Promise<PendingSubscription[]> {
  return expectSuccess(await started.api.get(`/mailing_lists/${list.id}/pending_subscriptions`))
}

async function subscribersOf(list: { id: number }): Promise<Subscriber[]> {
  return allSubscribers(started.api, list.id)
}

describe('a sign-up page', () => {
  it('asks for the fields of the form and those that the list requires, and subscribes', async () => {
    const list = await makeList(started.api, { name: 'News' })
    const city = await makeField(started.api, list.id, 'City', 'text')
    const plan = await makeField(started.api, list.id, 'Plan', 'select_multiple_checkboxes', {
      options: [{ name: 'Free' }, { name: 'Paid & more' }]
    })
    const age = await makeField(started.api, list.id, 'Age', 'number', { required: true })
    const { url } = await makeForm({ custom_field_ids: [plan.id, city.id], language: 'en' }, list)

    const html = await (await fetch(url)).text()
    const answer = await post(url, [
      ['email', ' Anna@Example.com '],
      [`field_${city.id}`, 'Zürich'],
      [`field_${plan.id}`, 'Free'],
      [`field_${plan.id}`, 'Paid & more'],
      [`field_${age.id}`, '42']
    ])

    const labels = [...html.matchAll(/<(?:label for="field-\d+"|legend)>([^<]*)/g)].map(([, label]) =>
      label?.trim()
    )
    expect(labels).toEqual(['Email address', 'Plan', 'City', 'Age'])
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('You will get “News”.')
    expect(await subscribersOf(list)).toMatchObject([
      {
        ...{ email: 'Anna@Example.com', status: 'active', subscribe_ip: '127.0.0.1' },
        custom_fields: {
          City: { value: 'Zürich' },
          Plan: { value: ['Free', 'Paid & more'] },
          Age: { value: 42 }
        }
      }
    ])
  })

  it('waits for the confirmation if the form requires it', async () => {
    const { list, url } = await makeForm({ requires_confirmation: true })

    const answer = await post(url, { email: 'anna@example.com' })

    expect(await answer.text()).toContain('Please look into your mailbox')
    expect(await subscribersOf(list)).toEqual([])
    expect((await pendingOf(list)).map(({ email }) => email)).toEqual(['anna@example.com'])
  })

  it('answers the same for someone who is on the list', async () => {
    const { list, url } = await makeForm({ requires_confirmation: true })
    await makeSubscriber(started.api, list.id, 'known@example.com')

    const [known, unknown] = await Promise.all(
      ['known@example.com', 'unknown@example.com'].map(async (email) => (await post(url, { email })).text())
    )

    expect(known).toBe(unknown)
    expect((await pendingOf(list)).map(({ email }) => email)).toEqual(['unknown@example.com'])
  })

  it('makes someone active again who had unsubscribed, once they confirm', async () => {
    const { list, url } = await makeForm({ requires_confirmation: true })
    const { id } = await makeSubscriber(started.api, list.id, 'back@example.com', { status: 'unsubscribed' })

    await post(url, { email: 'back@example.com' })
    const [waiting] = await pendingOf(list)
    await started.api.post(`/mailing_lists/${list.id}/pending_subscriptions/${waiting?.id}/confirm`)

    expect(await subscribersOf(list)).toMatchObject([{ id, status: 'active' }])
    expect(await pendingOf(list)).toEqual([])
  })

  it('never takes back a complaint without a confirmation', async () => {
    const { list, url } = await makeForm()
    await makeSubscriber(started.api, list.id, 'angry@example.com', { status: 'scomp' })

    await post(url, { email: 'angry@example.com' })

    expect(await subscribersOf(list)).toMatchObject([{ status: 'scomp' }])
  })

  it('takes nothing from a program that fills in the hidden field, which is not told so', async () => {
    const { list, url } = await makeForm()

    const answer = await post(url, { email: 'bot@example.com', website: 'https://spam.example' })

    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Thank you')
    expect(await subscribersOf(list)).toEqual([])
  })

  it.each([
    ['no address', {}],
    ['an address that is none', { email: 'anna' }],
    ['no consent', { email: 'anna@example.com', consent: '' }]
  ])('refuses %s with a page that leads back', async (_name, fields) => {
    const { list, url } = await makeForm({ consent_text: 'I agree to get “News”.', language: 'de' })

    const answer = await post(url, fields)

    expect(answer.status).toBe(400)
    const html = await answer.text()
    expect(html).toContain('Das hat nicht geklappt')
    expect(html).toContain('<a href="">Zurück zum Formular</a>')
    expect(await subscribersOf(list)).toEqual([])
  })

  it('says which value a field does not take', async () => {
    const list = await makeList(started.api)
    const born = await makeField(started.api, list.id, 'Born', 'date')
    const { url } = await makeForm({ custom_field_ids: [born.id] }, list)

    const answer = await post(url, { email: 'anna@example.com', [`field_${born.id}`]: 'yesterday' })

    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('Born')
  })

  it('answers a value that a field does not take the same for someone who is on the list', async () => {
    const list = await makeList(started.api)
    const age = await makeField(started.api, list.id, 'Age', 'number')
    const { url } = await makeForm({ custom_field_ids: [age.id] }, list)
    await makeSubscriber(started.api, list.id, 'known@example.com')

    const answers = await Promise.all(
      ['known@example.com', 'unknown@example.com'].map(async (email) => {
        const answer = await post(url, { email, [`field_${age.id}`]: 'x' })
        return [answer.status, await answer.text()]
      })
    )

    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.[0]).toBe(400)
  })

  it('asks nobody to confirm more than twice, however often it is asked to', async () => {
    const { list, url } = await makeForm({ requires_confirmation: true })
    const ids = new Set<number>()
    for (let times = 0; times < 4; times++) {
      await post(url, { email: 'flooded@example.com' })
      for (const { id } of await pendingOf(list)) ids.add(id)
      await until(async () => (await pendingOf(list)).every(({ sent_at }) => sent_at !== null))
    }

    const formId = /-(\d+)-/.exec(url)?.[1]
    const outbox = `${started.dataDirectory}/outbox/confirmations-${formId}.mbox`
    await until(async () => (await messagesIn(outbox)).length >= 2)
    await post(url, { email: 'flooded@example.com' })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(ids.size).toBe(1)
    expect(await messagesIn(outbox)).toHaveLength(2)
  })

  it('takes a box that is not ticked as no', async () => {
    const list = await makeList(started.api)
    const vip = await makeField(started.api, list.id, 'VIP', 'boolean', { required: true })
    const { url } = await makeForm({}, list)

    const answer = await post(url, { email: 'anna@example.com' })

    expect(answer.status).toBe(200)
    expect(await subscribersOf(list)).toMatchObject([{ custom_fields: { VIP: { value: false } } }])
    expect(vip.required).toBe(true)
  })

  it('says that a message is on its way where the organization enforces a confirmation', async () => {
    const other = await systemAdminIn(started.app, await makeOrganization(started, { enforces: true }))
    const list = await makeList(other, { d_from_email: 'a@example.com' })
    const web_form = { name: 'Website', has_page: true, requires_confirmation: false }
    const form = expectSuccess(await other.post<WebForm>(`/mailing_lists/${list.id}/web_forms`, { web_form }))

    const answer = await post(form.page_url ?? '', { email: 'anna@example.com' })

    expect(await answer.text()).toContain('Please look into your mailbox')
  })

  it('can be changed after a field that it asks for was deleted', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Gone', 'text')
    const { form } = await makeForm({ custom_field_ids: [field.id] }, list)
    await started.api.put(`/mailing_lists/${list.id}/web_forms/${form.id}`, {
      web_form: { custom_field_ids: [] }
    })
    expectSuccess(await started.api.delete(`/mailing_lists/${list.id}/custom_fields/${field.id}`))

    const renamed = await started.api.put<WebForm>(`/mailing_lists/${list.id}/web_forms/${form.id}`, {
      web_form: { name: 'Renamed' }
    })

    expect(expectSuccess(renamed)).toMatchObject({ name: 'Renamed', custom_field_ids: [] })
  })

  it('shows what users wrote as text', async () => {
    const { url } = await makeForm({
      page_title: '<script>alert(1)</script>',
      page_intro: 'A & B',
      consent_text: '"Yes"'
    })

    const html = await (await fetch(url)).text()

    expect(html).not.toContain('<script>')
    expect(html).toContain('A &amp; B')
    expect(html).toContain('&quot;Yes&quot;')
  })

  it('is gone once the form has none, and for a link that was made up', async () => {
    const { list, form, url } = await makeForm()
    await started.api.put(`/mailing_lists/${list.id}/web_forms/${form.id}`, { web_form: { has_page: false } })

    const forged = url.replace(/-(\d+)-/, (_all, id: string) => `-${Number(id) + 1}-`)
    expect([(await fetch(url)).status, (await post(forged, { email: 'a@example.com' })).status]).toEqual([
      404, 404
    ])
  })

  it('comes as HTML for other pages, which posts to its address', async () => {
    const { form, url } = await makeForm({ consent_text: 'I agree' })

    expect(form.embed_html).toContain(`<form action="${url}" method="post"`)
    expect(form.embed_html).toContain('name="email"')
    expect(form.embed_html).not.toContain('<script')
  })

  it('refuses fields that the list does not have', async () => {
    const { list } = await makeForm()
    const other = await makeList(started.api)
    const field = await makeField(started.api, other.id, 'Other', 'text')

    const { error_message } = await started.api.post(`/mailing_lists/${list.id}/web_forms`, {
      web_form: { name: 'x', custom_field_ids: [field.id] }
    })

    expect(error_message).toBe(`custom_field_ids ${field.id} is no custom field of this list`)
  })
})

describe('a sign-up page on a gate', () => {
  it('is handed over, takes sign-ups sealed, and the application applies them', async () => {
    const gate = await openGate()
    const domain = await addGate(started.api, gate)
    const list = await makeList(started.api, { name: 'News', d_url_domain: new URL(gate.address).host })
    const city = await makeField(started.api, list.id, 'City', 'select_single_dropdown', {
      options: [{ name: 'Bern' }]
    })
    const { url } = await makeForm({ custom_field_ids: [city.id], consent_text: 'I agree' }, list)
    expect(url.startsWith(`${gate.address}/f/`)).toBe(true)
    await fetchNow(started.api, domain)
    await until(async () => (await fetch(url)).ok)

    const refused = await post(url, { email: 'anna@example.com' })
    const bot = await post(url, { email: 'bot@example.com', consent: '1', website: 'x' })
    const taken = await post(url, { email: 'anna@example.com', consent: '1', [`field_${city.id}`]: 'Bern' })
    const faulty = await post(url, { email: 'ben@example.com', consent: '1', [`field_${city.id}`]: 'Rome' })
    await fetchNow(started.api, domain)
    await until(async () => (await subscribersOf(list)).length === 2)

    expect([refused.status, bot.status, taken.status, faulty.status]).toEqual([400, 200, 200, 200])
    expect(await taken.text()).toContain('You will get “News”.')
    expect(await subscribersOf(list)).toMatchObject([
      { email: 'anna@example.com', custom_fields: { City: { value: 'Bern' } } },
      { email: 'ben@example.com', custom_fields: { City: { value: null } } }
    ])
  })

  it('says that it is gone once its form is', async () => {
    const gate = await openGate()
    const domain = await addGate(started.api, gate)
    const list = await makeList(started.api, { d_url_domain: new URL(gate.address).host })
    const { form, url } = await makeForm({}, list)
    await fetchNow(started.api, domain)
    await until(async () => (await fetch(url)).ok)

    expectSuccess(await started.api.delete(`/mailing_lists/${list.id}/web_forms/${form.id}`))
    await fetchNow(started.api, domain)
    await until(async () => (await (await fetch(url)).text()).includes('This link does not work'))

    expect(await (await post(url, { email: 'a@example.com' })).text()).toContain('This link does not work')
  })

  it('refuses more than the application would take, and is fetched however much was entered', async () => {
    const gate = await openGate()
    const domain = await addGate(started.api, gate)
    const list = await makeList(started.api, { d_url_domain: new URL(gate.address).host })
    const { url } = await makeForm({}, list)
    await fetchNow(started.api, domain)
    await until(async () => (await fetch(url)).ok)

    const huge = await post(url, {
      email: 'a@example.com',
      field_1: '\u0001'.repeat(10_000),
      field_2: '\u0001'.repeat(9_000)
    })
    const large = await post(url, { email: 'b@example.com', field_1: 'x'.repeat(10_000) })
    await fetchNow(started.api, domain)
    await until(async () => (await subscribersOf(list)).length === 1)

    expect([huge.status, large.status]).toEqual([400, 200])
    expect((await subscribersOf(list)).map(({ email }) => email)).toEqual(['b@example.com'])
  })

  it('does not keep an earlier version of a gate from giving its events', async () => {
    const gate = await openGate()
    const proxy = await startFaultProxy(gate.address)
    // It refuses the pages of forms, as gates did before there were any.
    const isPageOfForm = ({ method, path }: PassedRequest): boolean =>
      method === 'PUT' && path.includes('contents/p')
    proxy.faultOf = (passed) => (isPageOfForm(passed) ? 'refused' : 'none')
    const address = proxy.baseUrl
    const domain = await addGate(started.api, { address, key: gate.key })
    const list = await makeList(started.api, { d_url_domain: new URL(address).host })
    await makeForm({}, list)
    await makeSubscriber(started.api, list.id, 'reader@example.com')
    const { id } = await makeCampaign(started.api, list.id, {
      contents: [{ subject: 'Hi', format: 'html', html: '<a href="%%unsubscribe_link%%">U</a>' }],
      dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await started.api.sent(id)
    const [message] = await outboxOf(started.dataDirectory, id)
    await fetch(/href="([^"]+)"/.exec(message?.body ?? '')?.[1] ?? '', { method: 'POST' })

    await fetchNow(started.api, domain)
    await until(async () => (await subscribersOf(list))[0]?.status === 'unsubscribed')
    await until(() => proxy.passed.some(isPageOfForm))
  })

  it('limits sign-ups from one address', async () => {
    const gate = await openGate()
    const domain = await addGate(started.api, gate)
    const list = await makeList(started.api, { d_url_domain: new URL(gate.address).host })
    const { url } = await makeForm({}, list)
    await fetchNow(started.api, domain)
    await until(async () => (await fetch(url)).ok)

    const statuses: number[] = []
    for (let number = 0; number < 12; number++) {
      statuses.push((await post(url, { email: `p${number}@example.com` })).status)
    }

    expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429])
  })
})

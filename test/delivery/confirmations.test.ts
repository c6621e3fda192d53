import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import type { PendingSubscription, WebForm } from '../../src-main/api/web-forms/schema.ts'
import { startApplication, type StartedApplication } from '../support/application.ts'
import { allSubscribers, expectSuccess, makeField, makeList, makeWebForm } from '../support/builders.ts'
import { begunCampaign } from '../support/campaigns.ts'
import type { Client } from '../support/client.ts'
import { mailServer, type Treatment } from '../support/mail-server.ts'
import { routeTo, shortSchedule, until } from '../support/smtp-route.ts'

/** A list whose form asks for a confirmation, with links that lead to the application. */
async function listWithForm(
  api: Client,
  form: Record<string, unknown> = {},
  list: Record<string, unknown> = {}
) {
  const { id } = await makeList(api, { d_from_email: 'news@example.com', ...list })
  const made = await makeWebForm(api, id)
  const web_form = expectSuccess(
    await api.put<WebForm>(`/mailing_lists/${id}/web_forms/${made.id}`, { web_form: form })
  )
  return { listId: id, form: web_form }
}

async function subscribe(
  api: Client,
  listId: number,
  formId: number,
  email: string,
  more: object = {}
): Promise<void> {
  const subscriber = { email, status: 'active', confirmation_form_id: formId, ...more }
  expectSuccess(await api.post(`/mailing_lists/${listId}/subscribers`, { subscriber }))
}

function pendingOf(api: Client, listId: number): Promise<PendingSubscription[]> {
  return api.get<PendingSubscription[]>(`/mailing_lists/${listId}/pending_subscriptions`).then(expectSuccess)
}

const linkIn = (text: string | undefined): string => /https?:\/\/\S+\/s\/\S+/.exec(text ?? '')?.[0] ?? ''

/** An application without SMTP, whose messages are in the outbox. */
async function withOutbox() {
  const started = await startApplication()
  const messages = async (formId: number) => {
    const path = join(started.dataDirectory, 'outbox', `confirmations-${formId}.mbox`)
    const entries = (await readFile(path, 'latin1')).split(/^From .*\n/m).slice(1)
    return Promise.all(entries.map((entry) => PostalMime.parse(Buffer.from(entry, 'latin1'))))
  }
  return { ...started, messages }
}

/** Waits until all confirmation messages of a list were handed over. */
function untilSent({ api }: Pick<StartedApplication, 'api'>, listId: number): Promise<void> {
  return until(async () => (await pendingOf(api, listId)).every(({ sent_at }) => sent_at !== null))
}

describe('a confirmation message', () => {
  it('holds a link to a page with a button, which adds the subscriber', async () => {
    const started = await withOutbox()
    const { api } = started
    const { listId, form } = await listWithForm(
      api,
      { language: 'de' },
      { name: 'Neues & mehr', has_confirmed: true }
    )
    const began = Date.now()

    await subscribe(api, listId, form.id, 'anna@example.org')
    await untilSent(started, listId)
    const [message] = await started.messages(form.id)
    const link = linkIn(message?.text)
    const page = await fetch(link)
    const shown = await page.text()
    const before = await allSubscribers(api, listId)
    const answer = await fetch(link, { method: 'POST' })

    expect(message).toMatchObject({
      subject: 'Bitte bestätigen: Neues & mehr',
      to: [{ address: 'anna@example.org' }]
    })
    expect(message?.headers.some(({ key }) => key === 'list-unsubscribe')).toBe(false)
    expect(shown).toContain('„Neues &amp; mehr“')
    expect(shown).toContain('<html lang="de">')
    expect(before).toEqual([])
    expect(await answer.text()).toContain('Ihre Adresse ist bestätigt')
    const [subscriber] = await allSubscribers(api, listId)
    expect(subscriber).toMatchObject({
      email: 'anna@example.org',
      confirmed: true,
      subscribe_ip: '127.0.0.1'
    })
    expect(Date.parse(subscriber?.subscribe_time ?? '')).toBeGreaterThan(began - 1000)
    expect(await pendingOf(api, listId)).toEqual([])
  })

  it('confirms once, and says so of a link that was used or is forged', async () => {
    const started = await withOutbox()
    const { listId, form } = await listWithForm(started.api)
    await subscribe(started.api, listId, form.id, 'anna@example.org')
    await untilSent(started, listId)
    const link = linkIn((await started.messages(form.id))[0]?.text)

    await fetch(link, { method: 'POST' })
    const again = await fetch(link, { method: 'POST' })
    const forged = await fetch(link.replace(/.$/, (last) => (last === '0' ? '1' : '0')))

    expect([again.status, forged.status]).toEqual([404, 404])
    expect(await allSubscribers(started.api, listId)).toHaveLength(1)
  })

  it('may have its own text, with values of custom fields', async () => {
    const started = await withOutbox()
    const { listId, form } = await listWithForm(started.api, {
      confirmation_subject: 'Hi %%First Name|there%%',
      confirmation_html: '<p><a href="%%confirm_link%%">%%First Name%%</a></p>'
    })
    await makeField(started.api, listId, 'First Name', 'text')

    await subscribe(started.api, listId, form.id, 'anna@example.org', {
      custom_fields: { 'First Name': 'Ann & Co' }
    })
    await untilSent(started, listId)
    const [message] = await started.messages(form.id)

    expect(message?.subject).toBe('Hi Ann & Co')
    expect(message?.html).toMatch(/<a href="http:\/\/127[^"]+\/s\/[^"]+">Ann &amp; Co<\/a>/)
    expect(message?.text).toBeUndefined()
  })

  it('needs the link in its own text', async () => {
    const { api } = await startApplication()
    const { listId, form } = await listWithForm(api)

    const answer = await api.put(`/mailing_lists/${listId}/web_forms/${form.id}`, {
      web_form: { confirmation_text: 'Hello' }
    })

    expect(answer.error_message).toBe(
      'confirmation_text must contain %%confirm_link%%, the link that confirms'
    )
  })

  it('is sent a second time on request, and not a third time', async () => {
    const started = await withOutbox()
    const { api } = started
    const { listId, form } = await listWithForm(api)
    await subscribe(api, listId, form.id, 'anna@example.org')
    await untilSent(started, listId)
    const [waiting] = await pendingOf(api, listId)
    const resend = () => api.post(`/mailing_lists/${listId}/pending_subscriptions/${waiting?.id}/resend`)

    expectSuccess(await resend())
    await until(async () => (await started.messages(form.id)).length === 2)

    expect((await resend()).error_message).toBe(
      'the confirmation message to anna@example.org was sent a second time already'
    )
  })

  it('keeps the outbox of a form whose deletion is undone', async () => {
    const started = await withOutbox()
    const { api } = started
    const { listId, form } = await listWithForm(api)
    await subscribe(api, listId, form.id, 'anna@example.org')
    await untilSent(started, listId)

    expectSuccess(await api.delete(`/mailing_lists/${listId}/web_forms/${form.id}`))
    expectSuccess(await api.workbench('POST', `/deleted_records/web_form/${form.id}/restore`))
    await subscribe(api, listId, form.id, 'ben@example.org')
    await untilSent(started, listId)

    expect(await started.messages(form.id)).toHaveLength(2)
  })

  it('waits with a reason while the list has no sender, and leaves once it has', async () => {
    const started = await withOutbox()
    const { api } = started
    const { listId, form } = await listWithForm(api, {}, { d_from_email: '' })
    const read = (): Promise<WebForm> =>
      api.get<WebForm>(`/mailing_lists/${listId}/web_forms/${form.id}`).then(expectSuccess)

    await subscribe(api, listId, form.id, 'anna@example.org')
    await until(async () => (await read()).error_message !== null)

    const { error_message } = await read()
    const [waiting] = await pendingOf(api, listId)
    expectSuccess(
      await api.put(`/mailing_lists/${listId}`, { mailing_list: { d_from_email: 'a@example.com' } })
    )
    await untilSent(started, listId)

    expect(error_message).toBe('Sending cannot continue: The list has no sender. Enter one in its settings.')
    expect(waiting?.sent_at).toBeNull()
    expect((await read()).error_message).toBeNull()
  })
})

it('the journal of a form that is gone is deleted, and no statistics of campaigns', async () => {
  const { bench, row } = await begunCampaign()
  bench.sqlite.exec(`INSERT INTO stats (web_form_id, keeps_recipients) VALUES (77, 0);
    INSERT INTO stat_slices (stat_id) SELECT id FROM stats WHERE web_form_id = 77;
    INSERT INTO stat_counters (stat_slice_id, hour) SELECT max(id), 0 FROM stat_slices;
    INSERT INTO message_journal (stat_slice_id, subscriber_id, number, state, format, attempts, changed_at, email)
      SELECT max(id), 0, 4, 2, 0, 1, 0, 'anna@example.org' FROM stat_slices`)

  while (await bench.run('webForms.purgeJournals', {}));

  expect(row('SELECT count(*) AS left FROM message_journal')).toEqual({ left: 0 })
  expect(row('SELECT count(campaign_id) AS campaigns, count(web_form_id) AS forms FROM stats')).toEqual({
    campaigns: 1,
    forms: 0
  })
})

describe('confirmation messages by SMTP', () => {
  async function bySmtp(treat: (to: string, attempt: number) => Treatment, domain?: string) {
    const server = await mailServer({ treat })
    const started = await startApplication(undefined, { retrySchedule: shortSchedule })
    const { api } = started
    await routeTo(api, server.port)
    if (domain !== undefined) expectSuccess(await api.post('/url_domains', { url_domain: { domain } }))
    const list = domain === undefined ? {} : { d_url_domain: domain }
    return { ...started, server, ...(await listWithForm(api, {}, list)) }
  }

  it('are tried again after a refusal, and reach each address once', async () => {
    const { api, server, listId, form } = await bySmtp(
      (to, attempt) =>
        to === 'a1@example.org' && attempt < 3
          ? { refuse: 450, words: '4.2.1 Later', at: 'rcpt' }
          : { accept: true },
      'links.example.com'
    )

    for (let index = 0; index < 5; index++) await subscribe(api, listId, form.id, `a${index}@example.org`)
    await until(() => server.received.length === 5)

    expect(server.received.map(({ to }) => to).toSorted()).toEqual(
      Array.from({ length: 5 }, (_, index) => `a${index}@example.org`)
    )
    expect(server.asked.get('a1@example.org')).toBe(3)
    expect(server.received[0]?.content).toContain('http://links.example.com/s/')
  })

  it('do not leave with a link that readers cannot open', async () => {
    const { api, server, listId, form } = await bySmtp(() => ({ accept: true }))

    await subscribe(api, listId, form.id, 'anna@example.org')
    const read = async (): Promise<string | null> =>
      expectSuccess(await api.get<WebForm>(`/mailing_lists/${listId}/web_forms/${form.id}`)).error_message
    await until(async () => (await read()) !== null)

    expect(await read()).toContain('Readers cannot open the link that confirms.')
    expect(server.received).toEqual([])
  })
})

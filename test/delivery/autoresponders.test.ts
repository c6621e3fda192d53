import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import type { StatSummary } from '../../src-main/api/statistics/schema.ts'
import { startApplication, type StartedApplication } from '../support/application.ts'
import {
  expectSuccess,
  makeAutoresponder,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import { mailServer } from '../support/mail-server.ts'
import { messagesIn } from '../support/outbox.ts'
import { reactionsOf } from '../support/reactions.ts'
import { routeTo, shortSchedule, until } from '../support/smtp-route.ts'

const content = {
  content_subject: 'Welcome %%First_Name%%',
  content_format: 'text',
  content_text: 'Hello %%First_Name%%, your code is %%api:Code%%. %%unsubscribe_link%%',
  use_external_delivery_setting: false,
  from_email: 'hello@example.com'
}

async function sendingList(options = {}) {
  const started = await startApplication(undefined, { retrySchedule: shortSchedule, ...options })
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'First Name', 'text')
  return { ...started, list }
}

function outboxOf({ dataDirectory }: Pick<StartedApplication, 'dataDirectory'>, id: number) {
  return messagesIn(join(dataDirectory, 'outbox', `autoresponder-${id}.mbox`))
}

async function trigger(
  { api }: Pick<StartedApplication, 'api'>,
  listId: number,
  email: string,
  autoresponder: Autoresponder,
  fields: Record<string, string> = {}
): Promise<void> {
  expectSuccess(
    await api.post(`/mailing_lists/${listId}/subscribers/${email}/trigger_autoresponders`, {
      autoresponder_ids: [autoresponder.id],
      content_replacement_fields: fields
    })
  )
}

async function statisticsOf(
  { api }: Pick<StartedApplication, 'api'>,
  listId: number,
  id: number
): Promise<StatSummary> {
  return expectSuccess(await api.get<StatSummary>(`/mailing_lists/${listId}/autoresponders/${id}/statistics`))
}

describe('an autoresponder', () => {
  it('writes its message to the outbox of its own, with its values, once', async () => {
    const bench = await sendingList()
    const welcome = await makeAutoresponder(bench.api, bench.list.id, 'Welcome', {
      ...content,
      trigger: 'subscription',
      trigger_run_on_api: true
    })

    const anna = { custom_fields: { 'First Name': 'Anna' } }
    await makeSubscriber(bench.api, bench.list.id, 'anna@example.com', anna)
    await until(async () => (await statisticsOf(bench, bench.list.id, welcome.id)).accepted === 1)
    await pause(500)

    const [message, ...others] = await outboxOf(bench, welcome.id)
    expect(others).toEqual([])
    expect(message?.headers.get('to')).toBe('anna@example.com')
    expect(message?.headers.get('subject')).toBe('Welcome Anna')
    expect(reactionsOf(bench, bench.list.id)).toEqual([])
    expect(await statisticsOf(bench, bench.list.id, welcome.id)).toMatchObject({
      messages_sent: 1,
      accepted: 1,
      sent_text: 1
    })
  })

  it('goes by SMTP with the values of the call that triggered it, and is tried again', async () => {
    const server = await mailServer({
      treat: (_to, attempt) =>
        attempt === 1 ? { refuse: 450, words: '4.2.0 Greylisted', at: 'rcpt' } : { accept: true }
    })
    const bench = await sendingList()
    await routeTo(bench.api, server.port)
    const code = await makeAutoresponder(bench.api, bench.list.id, 'Code', content)
    await makeSubscriber(bench.api, bench.list.id, 'anna@example.com')

    await trigger(bench, bench.list.id, 'anna@example.com', code, { Code: '4711' })
    await until(() => server.received.length === 1)
    await trigger(bench, bench.list.id, 'anna@example.com', code, { Code: '4712' })
    await until(() => server.received.length === 2)

    expect(server.received.map(({ content: text }) => /code is (\d+)/.exec(text)?.[1])).toEqual([
      '4711',
      '4712'
    ])
    await until(async () => (await statisticsOf(bench, bench.list.id, code.id)).accepted === 2)
  })

  it('holds its messages while it is paused, and sends them once it continues', async () => {
    const bench = await sendingList()
    const code = await makeAutoresponder(bench.api, bench.list.id, 'Code', { ...content, paused: true })
    await makeSubscriber(bench.api, bench.list.id, 'anna@example.com')
    await trigger(bench, bench.list.id, 'anna@example.com', code)
    await pause(600)
    expect(await outboxOf(bench, code.id)).toEqual([])

    await bench.api.put(`/mailing_lists/${bench.list.id}/autoresponders/${code.id}`, {
      autoresponder: { paused: false }
    })

    await until(async () => (await outboxOf(bench, code.id)).length === 1)
  })

  it('sends nothing to those who left, or are outside of its segment when their message is due', async () => {
    const bench = await sendingList()
    const vip = await makeList(bench.api)
    await makeSubscriber(bench.api, vip.id, 'anna@example.com')
    const segment = await makeSegment(bench.api, bench.list.id, { other: vip.id })
    const code = await makeAutoresponder(bench.api, bench.list.id, 'Code', {
      ...content,
      paused: true,
      segmentation_criteria_id: segment.id
    })
    for (const name of ['anna', 'ben', 'cleo']) {
      await makeSubscriber(bench.api, bench.list.id, `${name}@example.com`)
      await trigger(bench, bench.list.id, `${name}@example.com`, code)
    }
    await makeSubscriber(bench.api, vip.id, 'cleo@example.com')
    await bench.api.put(`/mailing_lists/${bench.list.id}/subscribers/cleo@example.com`, {
      subscriber: { status: 'unsubscribed' }
    })

    await bench.api.put(`/mailing_lists/${bench.list.id}/autoresponders/${code.id}`, {
      autoresponder: { paused: false }
    })
    await until(() => reactionsOf(bench, bench.list.id).length === 0)

    const messages = await outboxOf(bench, code.id)
    expect(messages.map(({ headers }) => headers.get('to'))).toEqual(['anna@example.com'])
  })

  it('that follows another one is queued when the other was sent', async () => {
    const bench = await sendingList()
    const first = await makeAutoresponder(bench.api, bench.list.id, 'First', content)
    const after = { ...content, trigger_autoresponder_to_open_id: first.id }
    const next = await makeAutoresponder(bench.api, bench.list.id, 'Next', {
      ...after,
      trigger: 'autoresponder_send'
    })
    await makeAutoresponder(bench.api, bench.list.id, 'Reminder', {
      ...after,
      trigger: 'autoresponder_nonopen',
      delay: 'with_delay',
      delay_amount: 2,
      delay_unit: 'days'
    })
    await makeSubscriber(bench.api, bench.list.id, 'anna@example.com')

    await trigger(bench, bench.list.id, 'anna@example.com', first)
    await until(async () => (await outboxOf(bench, next.id)).length === 1)
    // A message leaves the queue a moment after it is in the file.
    await until(() => reactionsOf(bench, bench.list.id).length === 1)

    expect(reactionsOf(bench, bench.list.id).map(({ autoresponder }) => autoresponder)).toEqual(['Reminder'])
  })

  it('for those who did not open another one is not sent to those who did', async () => {
    const bench = await sendingList()
    const html = { content_format: 'html', content_html: '<p>Hello</p>', track_opens: true }
    const first = await makeAutoresponder(bench.api, bench.list.id, 'First', { ...content, ...html })
    const reminder = await makeAutoresponder(bench.api, bench.list.id, 'Reminder', {
      ...content,
      trigger: 'autoresponder_nonopen',
      trigger_autoresponder_to_open_id: first.id,
      paused: true
    })
    const thanks = await makeAutoresponder(bench.api, bench.list.id, 'Thanks', {
      ...content,
      trigger: 'autoresponder_open',
      trigger_autoresponder_to_open_id: first.id
    })
    for (const name of ['anna', 'ben']) {
      await makeSubscriber(bench.api, bench.list.id, `${name}@example.com`)
      await trigger(bench, bench.list.id, `${name}@example.com`, first)
    }
    await until(async () => (await statisticsOf(bench, bench.list.id, first.id)).accepted === 2)
    const [toAnna] = (await outboxOf(bench, first.id)).filter(
      ({ headers }) => headers.get('to') === 'anna@example.com'
    )
    const pixel = /src="(http:[^"]+\/o\/[^"]+)"/.exec(toAnna?.body ?? '')?.[1] ?? ''
    expect((await fetch(pixel)).status).toBe(200)

    await until(async () => (await outboxOf(bench, thanks.id)).length === 1)
    await bench.api.put(`/mailing_lists/${bench.list.id}/autoresponders/${reminder.id}`, {
      autoresponder: { paused: false }
    })
    await until(async () => (await outboxOf(bench, reminder.id)).length > 0)

    const recipients = (await outboxOf(bench, reminder.id)).map(({ headers }) => headers.get('to'))
    expect(recipients).toEqual(['ben@example.com'])
    expect(await statisticsOf(bench, bench.list.id, first.id)).toMatchObject({ opens_unique: 1 })
  })

  it('without content or sender waits, and goes on once it has both', async () => {
    const bench = await sendingList()
    const empty = await makeAutoresponder(bench.api, bench.list.id, 'Empty')
    await makeSubscriber(bench.api, bench.list.id, 'anna@example.com')
    await trigger(bench, bench.list.id, 'anna@example.com', empty)
    const messageOf = (): unknown => {
      const database = new SQLite(join(bench.dataDirectory, 'listwright.db'), { readonly: true })
      try {
        return database.prepare('SELECT error_message FROM autoresponder_deliveries').pluck().get()
      } finally {
        database.close()
      }
    }
    await until(() => String(messageOf()).includes('no_content_to_send'))

    await bench.api.put(`/mailing_lists/${bench.list.id}/autoresponders/${empty.id}`, {
      autoresponder: content
    })

    await until(async () => (await outboxOf(bench, empty.id)).length === 1)
  })
})

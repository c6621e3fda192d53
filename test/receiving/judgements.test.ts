import { describe, expect, it } from 'vitest'
import type { AppliedJudgement, JudgementPreview } from '../../src-main/receiving/schema.ts'
import { clientOfUser } from '../support/accounts.ts'
import { startApplication, type StartedApplication } from '../support/application.ts'
import { bounceReport, tokenOf } from '../support/bounce-report.ts'
import { allSubscribers, expectSuccess } from '../support/builders.ts'
import { mailServer } from '../support/mail-server.ts'
import { listWith, routeTo, sendNow, untilState } from '../support/smtp-route.ts'

const full = { status: '5.2.2', words: '552 5.2.2 Mailbox full' }

/** A list whose members got so many messages, each of which came back softly. */
async function softBounces(messages: number): Promise<{ started: StartedApplication; list: { id: number } }> {
  const started = await startApplication()
  const taker = await mailServer()
  await routeTo(started.api, taker.port)
  const list = await listWith(started.api, ['anna@example.org'])
  for (let number = 0; number < messages; number++) {
    const { id } = await sendNow(started.api, list.id)
    await untilState(started.api, id, 'finished')
    const token = tokenOf(taker.received.at(-1)?.content)
    await receive(started, bounceReport('anna@example.org', token, full))
  }
  return { started, list }
}

async function receive({ api }: StartedApplication, body: string): Promise<void> {
  const init = { method: 'POST', body, headers: { 'Content-Type': 'message/rfc822' } }
  expect((await api.raw('/ga/api/v2/received_messages', init)).status).toBe(200)
}

async function setRules({ api }: StartedApplication, soft_bounces: number): Promise<void> {
  expectSuccess(await api.put('/delivery_options', { delivery_options: { soft_bounces } }))
}

async function preview({ api }: StartedApplication): Promise<JudgementPreview> {
  return expectSuccess(await api.get<JudgementPreview>('/judgements/preview'))
}

async function judge({ api }: StartedApplication): Promise<AppliedJudgement> {
  return expectSuccess(await api.post<AppliedJudgement>('/judgements'))
}

async function statusOf({ api }: StartedApplication, list: { id: number }): Promise<string | undefined> {
  return (await allSubscribers(api, list.id))[0]?.status
}

describe('judging past bounces again', () => {
  it('tells whom stricter rules would set to bounced, does it, and undoes it', async () => {
    const { started, list } = await softBounces(2)
    await setRules(started, 2)

    const found = await preview(started)
    expect(await statusOf(started, list)).toBe('active')
    const { id, bounced } = await judge(started)
    expect(await statusOf(started, list)).toBe('bounced')
    expectSuccess(await started.api.post(`/judgements/${id}/undo`))

    expect(found).toMatchObject({ reports: 2, changed_verdicts: 0, bounced: 1, active: 0 })
    expect(found.subscribers).toMatchObject([
      { email: 'anna@example.org', before: 'active', after: 'bounced' }
    ])
    expect(bounced).toBe(1)
    expect(await statusOf(started, list)).toBe('active')
    const again = await started.api.post(`/judgements/${id}/undo`)
    expect(again.error_message).toBe('this is undone already')
  })

  it('makes those active again whom a report had set to bounced', async () => {
    const { started, list } = await softBounces(1)
    await setRules(started, 2)
    await judge(started)
    expect(await statusOf(started, list)).toBe('active')
    await setRules(started, 1)
    await judge(started)
    expect(await statusOf(started, list)).toBe('bounced')

    await setRules(started, 0)
    expect(await preview(started)).toMatchObject({ bounced: 0, active: 1 })
    await judge(started)

    expect(await statusOf(started, list)).toBe('active')
  })

  it('leaves those alone whom nothing but a person had set to bounced, and those who unsubscribed', async () => {
    const { started, list } = await softBounces(1)
    const [{ id } = { id: 0 }] = await allSubscribers(started.api, list.id)
    const path = `/mailing_lists/${list.id}/subscribers/${id}`
    await started.api.put(path, { subscriber: { status: 'bounced' } })
    await setRules(started, 0)
    expect(await preview(started)).toMatchObject({ bounced: 0, active: 0 })

    await started.api.put(path, { subscriber: { status: 'unsubscribed' } })
    await setRules(started, 1)

    expect(await preview(started)).toMatchObject({ bounced: 0, active: 0 })
  })

  it('is for administrators', async () => {
    const started = await startApplication()
    const user = await clientOfUser(started, { permissions: { subscriber: ['read', 'update'] } })
    expect((await user.get('/judgements/preview')).status).toBe(403)
  })
})

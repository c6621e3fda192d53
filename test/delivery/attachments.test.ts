import PostalMime, { type Email } from 'postal-mime'
import { describe, expect, it } from 'vitest'
import type { Attachment } from '../../src-main/api/attachments/schema.ts'
import type { CampaignDetail, TemplateDetail } from '../../src-main/api/campaigns/schema.ts'
import type { Rehearsal } from '../../src-main/delivery/rehearsal/schema.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { expectSuccess, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { mailServer } from '../support/mail-server.ts'
import { firstMessageOf } from '../support/outbox.ts'
import { routeTo, until, untilState } from '../support/smtp-route.ts'

const started = sharedApplication()
const base = '/ga/api/v2'
const pdf = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'.repeat(50), 'latin1')

async function attach(
  path: string,
  name: string,
  bytes: Buffer = pdf,
  api: Client = started.api
): Promise<Answer<Attachment>> {
  const answer = await api.raw(`${base}${path}/attachments?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: new Uint8Array(bytes)
  })
  return (await answer.json()) as Answer<Attachment>
}

async function attachmentsOf(path: string): Promise<Attachment[]> {
  return expectSuccess(await started.api.get<Attachment[]>(`${path}/attachments`))
}

async function campaignToOne(settings: Record<string, unknown> = {}): Promise<CampaignDetail> {
  const list = await makeList(started.api)
  await makeSubscriber(started.api, list.id, 'a@example.com')
  return makeCampaign(started.api, list.id, settings)
}

async function messageOf({ id }: CampaignDetail): Promise<Email> {
  const begins_at = Math.floor(Date.now() / 1000)
  expectSuccess(
    await started.api.put(`/campaigns/${id}`, { campaign: { dispatch_attributes: { begins_at } } })
  )
  await started.api.sent(id)
  return PostalMime.parse(await firstMessageOf(started.dataDirectory, id))
}

describe('attachments', () => {
  it('are carried by each message, with their names and types', async () => {
    const campaign = await campaignToOne()
    const { data } = await attach(`/campaigns/${campaign.id}`, 'Preise “März”.pdf')
    await attach(`/campaigns/${campaign.id}`, 'Termin.ics', Buffer.from('BEGIN:VCALENDAR'))
    await attach(`/campaigns/${campaign.id}`, 'Old.eml', Buffer.from('Subject: Old\r\n\r\nOld'))
    expect(data).toMatchObject({ name: 'Preise “März”.pdf', media_type: 'application/pdf', size: pdf.length })

    const { attachments, html, text } = await messageOf(campaign)

    expect(
      attachments.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition])
    ).toEqual([
      ['Preise “März”.pdf', 'application/pdf', 'attachment'],
      ['Termin.ics', 'text/calendar', 'attachment'],
      ['Old.eml', 'application/octet-stream', 'attachment']
    ])
    const [first, second, third] = attachments.map(({ content }) => Buffer.from(content as ArrayBuffer))
    expect(first).toEqual(pdf)
    // The reader ends a text with a line break.
    expect(second?.toString().trimEnd()).toBe('BEGIN:VCALENDAR')
    expect(third?.toString()).toBe('Subject: Old\r\n\r\nOld')
    expect(html).toContain('<p>Hello</p>')
    expect(text).toContain('Hello')
  })

  it('are carried by messages through a mail server', async () => {
    const server = await mailServer()
    const campaign = await campaignToOne()
    await routeTo(started.api, server.port, {})
    await attach(`/campaigns/${campaign.id}`, 'Prices.pdf')

    const begins_at = Math.floor(Date.now() / 1000)
    await started.api.put(`/campaigns/${campaign.id}`, { campaign: { dispatch_attributes: { begins_at } } })
    await untilState(started.api, campaign.id, 'finished')

    const [message] = server.received
    const { attachments } = await PostalMime.parse(message?.content ?? '')
    expect(Buffer.from(attachments[0]?.content as ArrayBuffer)).toEqual(pdf)
    await started.api.put('/delivery_routes/0', { delivery_route: { smtp_server_ids: [] } })
  })

  it('can be listed, downloaded and removed', async () => {
    const path = `/campaigns/${(await campaignToOne()).id}`
    const { data } = await attach(path, 'Prices.pdf')

    const file = await started.api.raw(`${base}${path}/attachments/${data.id}`)

    expect(Buffer.from(await file.arrayBuffer())).toEqual(pdf)
    expect(file.headers.get('Content-Type')).toBe('application/pdf')
    expect(file.headers.get('Content-Disposition')).toBe("attachment; filename*=UTF-8''Prices.pdf")
    expect(await attachmentsOf(path)).toEqual([data])
    expectSuccess(await started.api.delete(`${path}/attachments/${data.id}`))
    expect(await attachmentsOf(path)).toEqual([])
    expect((await started.api.delete(`${path}/attachments/${data.id}`)).error_code).toBe('not_found')
  })

  it.each([
    ['a folder in the name', '../Prices.pdf', 'name must be the name of a file'],
    ['a line break in the name', 'Prices\n.pdf', 'name must be the name of a file'],
    ['a program', 'Prices.pdf.EXE', 'mailbox providers refuse files that end in .exe']
  ])('cannot have %s', async (_what, name, words) => {
    const { id } = await campaignToOne()

    const answer = await attach(`/campaigns/${id}`, name)

    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toContain(words)
  })

  it('cannot be empty, have the name of another, or be larger than 10 MB together', async () => {
    const path = `/campaigns/${(await campaignToOne()).id}`
    await attach(path, 'a.bin', Buffer.alloc(6 * 1024 * 1024, 1))

    const answers = [
      await attach(path, 'b.bin', Buffer.alloc(0)),
      await attach(path, 'A.bin'),
      await attach(path, 'b.bin', Buffer.alloc(5 * 1024 * 1024, 2))
    ]

    expect(answers.map((answer) => answer.error_message)).toEqual([
      'the attachment must not be empty: the body of the request is the file',
      'there is an attachment A.bin already: delete it first',
      'with b.bin the attachments would have 12 MB: a message can carry at most 10 MB, since mail servers refuse larger ones'
    ])
    expect(await attachmentsOf(path)).toHaveLength(1)
  })

  it('are copied with the content of a template, and with a campaign', async () => {
    const { mailing_list_id: listId } = await campaignToOne()
    const template = expectSuccess(
      await started.api.post<TemplateDetail>(`/mailing_lists/${listId}/templates`, {
        campaign: { name: 'T', contents: [{ subject: 'x', format: 'text', text: 'x' }] }
      })
    )
    await attach(`/templates/${template.id}`, 'Prices.pdf')
    const copy = (duplicate_content: boolean) =>
      started.api
        .post<CampaignDetail>(`/mailing_lists/${listId}/campaigns`, {
          ...{ source_template_id: template.id, duplicate_content },
          campaign: { name: 'C' }
        })
        .then(expectSuccess)

    const [withContent, without] = [await copy(true), await copy(false)]
    await started.api.delete(`/templates/${template.id}`)

    expect((await attachmentsOf(`/campaigns/${withContent.id}`)).map(({ name }) => name)).toEqual([
      'Prices.pdf'
    ])
    expect(await attachmentsOf(`/campaigns/${without.id}`)).toEqual([])
    const { attachments } = await messageOf(
      expectSuccess(
        await started.api.put<CampaignDetail>(`/campaigns/${withContent.id}`, {
          campaign: {
            segmentation_criteria_ad_hoc: [],
            dispatch_attributes: { from_email: 'sender@example.com' }
          }
        })
      )
    )
    expect(attachments).toHaveLength(1)
  })

  it('are in the answer even if another request removes them at once', async () => {
    const path = `/campaigns/${(await campaignToOne()).id}`
    const { data: first } = await attach(path, 'first.bin')

    for (let id = first.id + 1; id <= first.id + 20; id++) {
      let isOver = false
      const adding = attach(path, `${id}.bin`).finally(() => (isOver = true))
      const removing = async (): Promise<void> => {
        while (!isOver) await started.api.delete(`${path}/attachments/${id}`)
      }
      await Promise.all(Array.from({ length: 10 }, removing))
      expect(await adding).toMatchObject({ error_message: null, data: { id, name: `${id}.bin` } })
    }
  })

  it('cannot be changed once the campaign was sent', async () => {
    const campaign = await campaignToOne()
    const { data } = await attach(`/campaigns/${campaign.id}`, 'Prices.pdf')
    await messageOf(campaign)

    const answers = [
      await attach(`/campaigns/${campaign.id}`, 'More.pdf'),
      await started.api.delete(`/campaigns/${campaign.id}/attachments/${data.id}`)
    ]

    expect(answers.map((answer) => answer.error_code)).toEqual(['validation_failed', 'validation_failed'])
  })

  it('are changed only by users who may change the campaign', async () => {
    const { id } = await campaignToOne()
    const reader = await clientOfUser(started, { permissions: { campaign: ['read_stats'] } })

    const answer = await attach(`/campaigns/${id}`, 'Prices.pdf', pdf, reader)

    expect(answer.error_code).toBe('not_authorized')
  })

  it('count in a rehearsal', async () => {
    const { id } = await campaignToOne()
    await attach(`/campaigns/${id}`, 'a.bin', Buffer.alloc(1_000_000, 1))

    await started.api.post(`/campaigns/${id}/rehearsal`)
    const read = (): Promise<Rehearsal> =>
      started.api.get<Rehearsal>(`/campaigns/${id}/rehearsal`).then(expectSuccess)
    await until(async () => (await read()).state === 'finished')

    const { report } = await read()
    expect(report?.bytes).toBeGreaterThan(1_368_000)
    expect(report).toMatchObject({ too_large: 0 })
  })
})

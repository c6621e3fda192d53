import { describe, expect, it } from 'vitest'
import type { ContentPreview } from '../../src-main/workbench/content-preview/endpoints.ts'
import { makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import { sharedApplication } from '../support/application.ts'
import type { Answer } from '../support/client.ts'
import { outboxOf } from '../support/outbox.ts'

const started = sharedApplication()
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

async function upload(bytes: Buffer, name = 'logo.gif'): Promise<Answer<{ key: string }>> {
  const answer = await started.api.raw(`/app/v1/images?name=${name}`, {
    method: 'POST',
    body: new Uint8Array(bytes)
  })
  return (await answer.json()) as Answer<{ key: string }>
}

async function bodyOf(html: string, dispatch_attributes: Record<string, unknown> = {}): Promise<string> {
  const { api, dataDirectory } = started
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'a@example.com')
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: {
      from_email: 'sender@example.com',
      begins_at: Math.floor(Date.now() / 1000),
      ...dispatch_attributes
    }
  })
  await api.sent(id)
  return (await outboxOf(dataDirectory, id))[0]?.body ?? ''
}

describe('a picture of a message', () => {
  it('is stored once, under a name derived from its content', async () => {
    const { data } = await upload(gif)
    expect(data.key).toMatch(/^[0-9a-f]{32}$/)
    expect((await upload(gif, 'again.gif')).data).toEqual(data)
  })

  it('is a PNG, JPEG or GIF file of at most 5 MB', async () => {
    expect(await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchObject({
      success: false,
      error_code: 'validation_failed',
      error_message: 'the image must be a PNG, JPEG or GIF file'
    })
    expect((await upload(Buffer.alloc(0))).success).toBe(false)
    expect((await upload(Buffer.concat([gif, Buffer.alloc(5 * 1024 * 1024)]))).success).toBe(false)
  })

  it('can be loaded by its address alone, and is cached for a year', async () => {
    const { key } = (await upload(gif)).data
    const answer = await fetch(`${started.app.baseUrl}/i/${key}`)
    expect(answer.headers.get('Content-Type')).toBe('image/gif')
    expect(answer.headers.get('Cache-Control')).toContain('immutable')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(gif)
    expect((await fetch(`${started.app.baseUrl}/i/${'0'.repeat(32)}`)).status).toBe(404)
  })

  it('is attached to each message that shows it', async () => {
    const { key } = (await upload(gif)).data
    const body = await bodyOf(`<p>Hi</p><img src="cid:${key}"><img src="cid:${'0'.repeat(32)}">`)
    expect(body).toContain(`Content-ID: <${key}>`)
    expect(body.match(/Content-ID/g)).toHaveLength(1)
    expect(body).toContain(gif.toString('base64'))
    expect(body).toContain('Content-Disposition: inline')
    expect(await bodyOf('<p>Hi</p>')).not.toContain('Content-ID')
  })

  it('is linked where the campaign has a URL domain', async () => {
    const { key } = (await upload(gif)).data
    await started.api.post('/url_domains', { url_domain: { domain: 'links.example.com' } })
    const body = await bodyOf(`<img src="cid:${key}">`, { url_domain_name: 'links.example.com' })
    expect(body).toContain(`src="http://links.example.com/i/${key}"`)
    expect(body).not.toContain('Content-ID')
  })

  it('is shown in previews and counted there, and in the web version', async () => {
    const { key } = (await upload(gif)).data
    const list = await makeList(started.api)
    const { data } = await started.api.workbench<ContentPreview>(
      'POST',
      `/mailing_lists/${list.id}/content_preview`,
      { name: 'Spring', subject: '', html: `<img src="cid:${key}"><img src="cid:${key}">`, text: '' }
    )
    expect(data.html).toContain(`src="${started.app.baseUrl}/i/${key}"`)
    expect(data.image_bytes).toBe(gif.length)
    const body = await bodyOf(`<img src="cid:${key}"><a href="%%link_to_web_version%%">Web</a>`)
    const address = /href="([^"]+\/w\/[^"]+)"/.exec(body)?.[1] ?? ''
    expect(await (await fetch(address)).text()).toContain(`src="${started.app.baseUrl}/i/${key}"`)
  })
})

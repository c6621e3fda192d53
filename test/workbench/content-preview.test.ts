import { expect, it, onTestFinished } from 'vitest'
import type { ContentPreview } from '../../src-main/workbench/content-preview/endpoints.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import { clientOfUser } from '../support/accounts.ts'
import { makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { serve } from '../support/process.ts'

const started = sharedApplication()

it('a content is previewed with its codes replaced; codes that mean nothing stay, and are named', async () => {
  const { api } = started
  const list = await makeList(api, { name: 'Spring' })
  const { data } = await api.workbench<ContentPreview>('POST', `/mailing_lists/${list.id}/content_preview`, {
    name: 'Offer',
    subject: '%%data_campaign_name%% for %%who%%',
    html: '<p>%%subscribers_email_address%%</p>',
    text: '%%mailing_list_name%%'
  })
  expect(data).toEqual({
    subject: 'Offer for %%who%%',
    html: '<p>subscriber@example.com</p>',
    text: 'Spring',
    unknown_codes: ['%%who%%'],
    image_bytes: 0,
    has_unsubscribe_link: { html: false, text: false }
  })
})

it("a content is previewed as a subscriber gets it, with the campaign's sender", async () => {
  const { api } = started
  const list = await makeList(api, { d_from_name: 'List' })
  await makeField(api, list.id, 'City', 'text')
  const anna = await makeSubscriber(api, list.id, 'anna@example.com', { custom_fields: { City: 'Wien' } })
  const path = `/mailing_lists/${list.id}/content_preview`
  const message = {
    name: '',
    subject: '%%city%%',
    html: '%%subscribers_email_address%%',
    text: '%%data_from_name%%'
  }
  const sender = { from_name: 'Campaign', from_email: 'c@example.com' }
  const body = { ...message, subscriber_id: anna.id, sender }
  const { data } = await api.workbench<ContentPreview>('POST', path, body)
  expect(data).toMatchObject({ subject: 'Wien', html: 'anna@example.com', text: 'Campaign' })

  const other = await makeSubscriber(api, (await makeList(api)).id, 'b@example.com')
  const refused = await api.workbench('POST', path, { ...message, subscriber_id: other.id })
  expect(refused.error_code).toBe('not_found')
  const reader = await clientOfUser(started, { permissions: {} })
  expect((await reader.workbench('POST', path, body)).error_code).toBe('not_authorized')
  expect((await reader.workbench('POST', path, message)).success).toBe(true)
})

it('the preview says which form lacks the link to unsubscribe, with what the organization puts around it', async () => {
  const list = await makeList(started.api)
  const links = async (html: string, text: string) => {
    const path = `/mailing_lists/${list.id}/content_preview`
    const body = { name: 'Spring', subject: '', html, text }
    return (await started.api.workbench<ContentPreview>('POST', path, body)).data.has_unsubscribe_link
  }
  expect(await links('<a href="%%unsubscribe_link%%">', 'Bye')).toEqual({ html: true, text: false })
  const path = `/organizations/${started.app.organizationId}`
  await started.api.put(path, { organization: { text_footer: '%%unsubscribe_link%%' } })
  expect(await links('Bye', 'Bye')).toEqual({ html: false, text: true })
})

it('the preview of a large content holds no other call up', async () => {
  // A process of its own, so that the work of the test does not delay its answers.
  const { api, end } = await serve(await temporaryDirectory())
  onTestFinished(async () => void (await end('SIGTERM')))
  const list = await makeList(api)
  const codes = 180_000
  let previewed = false
  const preview = api
    .workbench<ContentPreview>('POST', `/mailing_lists/${list.id}/content_preview`, {
      name: 'Large',
      subject: '',
      html: '%%subscriber_id%% '.repeat(codes),
      text: ''
    })
    .finally(() => (previewed = true))
  const began = performance.now()
  let longest = 0
  while (!previewed) {
    const asked = performance.now()
    await api.get('/mailing_lists')
    longest = Math.max(longest, performance.now() - asked)
  }
  // Written where calls are answered, it takes half of the time from them in one piece.
  expect(longest).toBeLessThan((performance.now() - began) / 4)
  expect((await preview).data.html).toBe('0 '.repeat(codes))
})

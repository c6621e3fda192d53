import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import type { DkimKey } from '../../../src-main/api/dkim-keys/schema.ts'
import { startApplication } from '../../support/application.ts'
import { expectSuccess, importText, makeCampaign, makeField, makeList } from '../../support/builders.ts'
import { shortOrLong } from '../../support/long.ts'
import { mailServer } from '../../support/mail-server.ts'
import { routeTo, untilState } from '../../support/smtp-route.ts'

const count = shortOrLong(300, 10_000, 2)
const names = ['Anna', 'Jörg', 'Ωmega', '李雷', "O'Neil & Co", 'Zoë "Z"', '<b>Bold</b>', 'Ana-María']
const nameOf = (index: number): string => names[index % names.length] ?? ''

test(`each of ${count} messages is read by another library with the right values, and its signature verifies`, async () => {
  const server = await mailServer()
  const { api } = await startApplication()
  await routeTo(api, server.port, { connections: 8, messages_per_connection: 0 })
  const key = expectSuccess(await api.post<DkimKey>('/dkim_keys', { dkim_key: { domain: 'example.com' } }))
  const list = await makeList(api)
  await makeField(api, list.id, 'First Name', 'text')
  const rows = Array.from(
    { length: count },
    (_, index) => `p${index}@example.org,"${nameOf(index).replaceAll('"', '""')}"`
  )
  await importText(api, list.id, ['email,First Name', ...rows].join('\n'), {
    column_mapping: ['email', 'First Name']
  })

  const { id } = await makeCampaign(api, list.id, {
    contents: [
      {
        ...{ subject: 'For %%First_Name%%', format: 'both' },
        html: '<p>Dear %%First_Name%%, number %%subscriber_id%%</p><a href="%%unsubscribe_link%%">Unsubscribe</a>',
        text: 'Dear %%First_Name%%, number %%subscriber_id%%\n%%unsubscribe_link%%'
      }
    ],
    dispatch_attributes: { from_email: 'news@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  await untilState(api, id, 'finished', 300_000)

  expect(new Set(server.received.map(({ to }) => to)).size).toBe(count)
  const resolver = async (): Promise<string[][]> => [[key.record_value]]
  for (const { to, content } of server.received) {
    const name = nameOf(Number(/\d+/.exec(to)?.[0]))
    const message = await PostalMime.parse(content)
    const { results } = await dkimVerify(content, { resolver })
    const [, number] = /number (\d+)/.exec(message.text ?? '') ?? []
    expect([to, message.subject, message.to?.[0]?.address]).toEqual([to, `For ${name}`, to])
    expect(message.text).toContain(`Dear ${name}, number ${number}`)
    expect(message.html).toContain(`Dear ${escaped(name)}, number ${number}`)
    expect(message.text).toMatch(new RegExp(`mailto:news@example\\.com\\?subject=unsubscribe%20${number}-`))
    expect([to, results[0]?.status.result]).toEqual([to, 'pass'])
  }
}, 600_000)

function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;'
  }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

import { expect, it } from 'vitest'
import type { ListDomains } from '../../src-main/workbench/hygiene/endpoints.ts'
import { sharedApplication } from '../support/application.ts'
import { importText, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()

async function domainsOf(listId: number): Promise<ListDomains> {
  return (await started.api.workbench<ListDomains>('GET', `/mailing_lists/${listId}/domains`)).data
}

it('the domains of a list are counted by status, largest first, and misspelled ones are reported', async () => {
  const list = await makeList(started.api)
  for (const email of ['a@Example.com', 'b@example.com', 'c@gmial.com', '"d@x"@example.com']) {
    await makeSubscriber(started.api, list.id, email)
  }
  await makeSubscriber(started.api, list.id, 'e@example.com', { status: 'bounced' })
  const other = await makeList(started.api)
  await makeSubscriber(started.api, other.id, 'a@elsewhere.com')
  const none = { active: 0, bounced: 0, unsubscribed: 0, scomp: 0, deactivated: 0 }
  expect(await domainsOf(list.id)).toEqual({
    total: 2,
    largest: [
      { domain: 'example.com', subscribers: 4, counts: { ...none, active: 3, bounced: 1 } },
      { domain: 'gmial.com', subscribers: 1, counts: { ...none, active: 1 } }
    ],
    misspelt: [{ domain: 'gmial.com', suggestion: 'gmail.com', subscribers: 1 }]
  })
})

it('the 100 largest of very many domains are listed, and all are counted', async () => {
  const list = await makeList(started.api)
  const rows = Array.from({ length: 12_000 }, (_, index) => `p${index}@d${index % 3000}.com`)
  await importText(started.api, list.id, [...rows, 'a@d7.com'].join('\n'), {
    file_format: { csv_has_headers: false }
  })
  const { total, largest } = await domainsOf(list.id)
  expect([total, largest.length, largest[0]]).toEqual([
    3000,
    100,
    expect.objectContaining({ domain: 'd7.com', subscribers: 5 })
  ])
  expect(await domainsOf((await makeList(started.api)).id)).toEqual({ total: 0, largest: [], misspelt: [] })
})

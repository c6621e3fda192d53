import { beforeAll, describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { ListedCampaign, ListedTemplate } from '../../src-main/workbench/campaigns/endpoints.ts'
import { sharedApplication } from '../support/application.ts'
import { expectSuccess, makeCampaign, makeList } from '../support/builders.ts'

const started = sharedApplication()
let listId = 0
beforeAll(async () => void (listId = (await makeList(started.api)).id))

const page = (query: string) => started.api.workbench<ListedCampaign[]>('GET', `/campaigns?${query}`)
const namesOf = (campaigns: { name: string }[]): string[] => campaigns.map(({ name }) => name)

describe('GET /app/v1/campaigns', () => {
  it('returns a page of campaigns, the newest first, without what is written in them', async () => {
    for (const name of ['One', 'Two', 'Three']) await makeCampaign(started.api, listId, { name })

    const answer = await page(`mailing_list_id=${listId}&per_page=2&page=1`)

    expect(namesOf(expectSuccess(answer))).toEqual(['One'])
    expect(answer).toMatchObject({ num_records: 3, num_pages: 2 })
    expect(answer.data[0]).not.toHaveProperty('content_html')
  })

  it('returns archived campaigns only where they are asked for', async () => {
    const list = await makeList(started.api)
    await makeCampaign(started.api, list.id, { name: 'Kept' })
    const { id } = await makeCampaign(started.api, list.id, { name: 'Put aside' })
    expectSuccess(await started.api.put(`/campaigns/${id}`, { campaign: { archived: true } }))

    expect(namesOf((await page(`mailing_list_id=${list.id}`)).data)).toEqual(['Kept'])
    expect(namesOf((await page(`mailing_list_id=${list.id}&archived=true`)).data)).toEqual(['Put aside'])
  })

  it('returns those alone that have a time to begin at', async () => {
    const begins_at = Math.floor(Date.now() / 1000) + 86_400
    const { id, dispatch } = await makeCampaign(started.api, listId, { name: 'Tomorrow' })
    expect(dispatch?.state).toBe('idle')
    expectSuccess(
      await started.api.put<CampaignDetail>(`/campaigns/${id}`, {
        campaign: { dispatch_attributes: { begins_at } }
      })
    )

    expect(namesOf((await page('is_pending=true')).data)).toEqual(['Tomorrow'])
  })

  it('refuses more than 500 at once', async () => {
    expect((await page('per_page=501')).error_message).toBe('per_page must be at most 500')
  })
})

it('campaigns and templates of a list are listed by name', async () => {
  const list = await makeList(started.api)
  await makeCampaign(started.api, list.id, { name: 'News' })
  expectSuccess(
    await started.api.post(`/mailing_lists/${list.id}/templates`, {
      campaign: { name: 'Plain', archived: true, contents: [] }
    })
  )
  const names = await started.api.workbench<{ name: string }[]>(
    'GET',
    `/mailing_lists/${list.id}/campaign_names`
  )
  const templates = await started.api.workbench<ListedTemplate[]>(
    'GET',
    `/mailing_lists/${list.id}/templates`
  )

  expect(namesOf(names.data)).toEqual(['News'])
  expect(templates.data).toMatchObject([{ name: 'Plain', archived: true }])
})

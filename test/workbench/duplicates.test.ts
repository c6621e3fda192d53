import { expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeCampaign, makeList, makeSegment } from '../support/builders.ts'

const started = sharedApplication()

async function duplicate(id: number, name = 'Copy'): Promise<CampaignDetail> {
  const { data } = await started.api.workbench<{ id: number }>('POST', `/campaigns/${id}/duplicate`, { name })
  return (await started.api.get<CampaignDetail>(`/campaigns/${data.id}`)).data
}

it('a duplicate says and is sent like the campaign that it is made of, but not yet', async () => {
  const list = await makeList(started.api)
  const { id } = await makeCampaign(started.api, list.id, {
    name: 'Spring',
    contents: [
      { name: 'A', subject: 'Hello', format: 'both', html: '<p>Hi</p>', text: 'Hi' },
      { name: 'B', subject: 'Other', format: 'text', text: 'Hi' }
    ],
    dispatch_attributes: {
      from_name: 'Anna',
      from_email: 'anna@example.com',
      speed: 500,
      track_links: false,
      begins_at: Math.floor(Date.now() / 1000)
    }
  })
  await started.api.sent(id)
  const copy = await duplicate(id, 'Spring again')
  expect(copy.id).not.toBe(id)
  expect(copy).toMatchObject({
    name: 'Spring again',
    mailing_list_id: list.id,
    campaign_contents: [
      { name: 'A', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
      { name: 'B', subject: 'Other', format: 'text' }
    ],
    dispatch: { state: 'idle', from_name: 'Anna', speed: 500, track_links: false, begins_at: null },
    stat_summary: null
  })
})

it('a duplicate is for the same segment, or has conditions of its own that say the same', async () => {
  const { api } = started
  const [list, vip] = [await makeList(api), await makeList(api)]
  const segment = await makeSegment(api, list.id, { name: 'VIP', other: vip.id })
  const stored = await makeCampaign(api, list.id, {
    segmentation_criteria_id: segment.id,
    segmentation_criteria_ad_hoc: undefined
  })
  expect((await duplicate(stored.id)).segmentation_criteria_id).toBe(segment.id)

  const clause = [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: vip.id }]
  const adHoc = await makeCampaign(api, list.id, { segmentation_criteria_ad_hoc: clause })
  const copy = await duplicate(adHoc.id)
  expect(copy.segmentation_criteria_id).not.toBeNull()
  const original = (await api.get<CampaignDetail>(`/campaigns/${adHoc.id}`)).data
  expect(copy.segmentation_criteria_id).not.toBe(original.segmentation_criteria_id)
  expect(copy.segmentation_criteria_name).toBeNull()
})

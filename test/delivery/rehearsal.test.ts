import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { Rehearsal } from '../../src-main/delivery/rehearsal/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { expectSuccess, importText, makeCampaign, makeField, makeList } from '../support/builders.ts'
import { until } from '../support/smtp-route.ts'

const started = sharedApplication()

/** A campaign to people with these names; '' = without one. */
async function campaignTo(
  names: readonly string[],
  content: Record<string, string>
): Promise<CampaignDetail> {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'First Name', 'text')
  await makeField(started.api, list.id, 'Website', 'text')
  const rows = names.map(
    (name, index) => `p${index}@example.org,${name},${name && `https://${name}.example`}`
  )
  await importText(started.api, list.id, ['email,First Name,Website', ...rows].join('\n'), {
    column_mapping: ['email', 'First Name', 'Website']
  })
  return makeCampaign(started.api, list.id, { contents: [{ subject: 'News', format: 'html', ...content }] })
}

async function rehearsed(id: number): Promise<Rehearsal> {
  expectSuccess(await started.api.post<Rehearsal>(`/campaigns/${id}/rehearsal`))
  const read = (): Promise<Rehearsal> =>
    started.api.get<Rehearsal>(`/campaigns/${id}/rehearsal`).then(expectSuccess)
  await until(async () => (await read()).state !== 'running')
  return read()
}

describe('a rehearsal', () => {
  it('counts who lacks a value, with and without a fallback, and sends nothing', async () => {
    const { id } = await campaignTo(['Anna', '', 'Ben', ''], {
      html: '<p>Hi %%First_Name%%, %%First_Name|you%%, %%Nmae%%</p>'
    })

    const { state, report } = await rehearsed(id)

    expect(state).toBe('finished')
    expect(report).toMatchObject({ messages: 4, too_large: 0, empty_links: 0, unknown_codes: ['%%Nmae%%'] })
    expect(report?.missing_values).toEqual([
      { code: '%%First_Name%%', recipients: 2, has_fallback: false, example: 'p1@example.org' },
      { code: '%%First_Name|you%%', recipients: 2, has_fallback: true, example: 'p1@example.org' }
    ])
    const campaign = expectSuccess(await started.api.get<CampaignDetail>(`/campaigns/${id}`))
    expect(campaign.stat_summary).toBeNull()
  })

  it('finds links that lead nowhere for some, and messages that are cut', async () => {
    const { id } = await campaignTo(['Anna', ''], {
      html: `<a href="%%Website%%">Yours</a><a href="https://example.com">Ours</a>${'x'.repeat(110_000)}`
    })

    const { report } = await rehearsed(id)

    expect(report).toMatchObject({
      messages: 2,
      too_large: 2,
      empty_links: 1,
      empty_link_example: 'p1@example.org'
    })
    expect(report?.largest).toBeGreaterThan(110_000)
  })

  it('says why it cannot be done', async () => {
    const list = await makeList(started.api)
    const { id } = await makeCampaign(started.api, list.id, { contents: [] })

    const rehearsal = await rehearsed(id)

    expect(rehearsal).toMatchObject({ state: 'failed', report: null })
    expect(rehearsal.error_message).toMatch(/content/)
  })

  it('can be cancelled, and is not there before it began', async () => {
    const { id } = await campaignTo(['Anna'], { html: '<p>Hi</p>' })

    const before = await started.api.get(`/campaigns/${id}/rehearsal`)
    await started.api.post(`/campaigns/${id}/rehearsal`)
    const cancelled = expectSuccess(await started.api.delete<Rehearsal>(`/campaigns/${id}/rehearsal`))

    expect(before.error_code).toBe('not_found')
    expect(['cancelled', 'finished']).toContain(cancelled.state)
  })
})

import { describe, expect, it } from 'vitest'
import type { Draft, DraftSummary } from '../../src-main/workbench/drafts/endpoints.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import type { Client } from '../support/client.ts'

const started = sharedApplication()

const written = {
  title: 'Spring',
  path: '/lists/1/campaigns/5',
  base: '{"name":""}',
  state: '{"name":"Spring"}'
}
const path = `/drafts/${encodeURIComponent('campaign 5')}`

async function namesOf(client: Client): Promise<string[]> {
  return (await client.workbench<DraftSummary[]>('GET', '/drafts')).data.map(({ name }) => name)
}

describe('drafts', () => {
  it('are returned as they were stored, one per name, until they are deleted', async () => {
    const client = await clientOfUser(started, { role: 'standard' })
    expect((await client.workbench<Draft | null>('GET', path)).data).toBeNull()
    await client.workbench('PUT', path, { ...written, state: '{}' })
    await client.workbench('PUT', path, written)
    const { data } = await client.workbench<Draft>('GET', path)
    expect(data).toMatchObject({ base: written.base, state: written.state })
    await client.workbench('PUT', '/drafts/other', written)
    const listed = await client.workbench<DraftSummary[]>('GET', '/drafts')
    expect(listed.data.map(({ name, title }) => [name, title])).toEqual([
      ['other', 'Spring'],
      ['campaign 5', 'Spring']
    ])
    await client.workbench('DELETE', path)
    expect(await namesOf(client)).toEqual(['other'])
    expect((await client.workbench('DELETE', path)).success).toBe(true)
  })

  it('are those of one person in one organization', async () => {
    const [organizationId, other] = [await makeOrganization(started), await makeOrganization(started)]
    const writer = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    await writer.workbench('PUT', path, written)
    const colleague = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const stranger = await clientOfUser(started, { organizationId: other, role: 'organization_admin' })
    for (const client of [colleague, stranger]) {
      expect(await namesOf(client)).toEqual([])
      expect((await client.workbench('GET', path)).data).toBeNull()
      await client.workbench('DELETE', path)
    }
    expect(await namesOf(writer)).toEqual(['campaign 5'])
  })

  it('lead to pages of the window alone', async () => {
    const answer = await started.api.workbench('PUT', path, { ...written, path: 'https://example.com/' })
    expect(answer.error_code).toBe('validation_failed')
    expect(answer.error_message).toContain('path')
  })
})

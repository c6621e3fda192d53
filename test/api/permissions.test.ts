import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import type { CampaignDetail, CampaignSummary } from '../../src-main/api/campaigns/schema.ts'
import { requireDeclaredAccess } from '../../src-main/http/permissions.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  expectSuccess,
  makeAutoresponder,
  makeCampaign,
  makeList,
  makeSubscriber
} from '../support/builders.ts'

const started = sharedApplication()

describe('the numbers of a campaign', () => {
  it.each([
    [['create', 'update'], false],
    [['create', 'update', 'read_stats'], true]
  ])('with the permissions %j are shown: %j', async (actions, isShown) => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const { id } = await makeCampaign(started.api, list.id, {
      dispatch_attributes: {
        from_name: 'Ann',
        from_email: 'ann@example.com',
        speed: 0,
        begins_at: new Date().toISOString()
      }
    })
    await started.api.sent(id)
    const reader = await clientOfUser(started, { permissions: { campaign: actions } })
    const detail = expectSuccess(await reader.get<CampaignDetail>(`/campaigns/${id}`))
    expect(detail.stat_summary !== null).toBe(isShown)
    const path = `/mailing_lists/${list.id}/campaigns`
    const [summary] = expectSuccess(await reader.get<CampaignSummary[]>(path))
    expect(summary?.id).toBe(id)
    expect(summary?.stats !== null).toBe(isShown)
  })
})

describe('an autoresponder', () => {
  it('can be paused but not edited by a user who may only change its state', async () => {
    const list = await makeList(started.api)
    const { id, name } = await makeAutoresponder(started.api, list.id, 'Welcome')
    const path = `/mailing_lists/${list.id}/autoresponders/${id}`
    const user = await clientOfUser(started, { permissions: { autoresponder: ['update_state'] } })
    await user.put(path, { autoresponder: { paused: true } })
    const renamed = await user.put(path, { autoresponder: { paused: false, name: 'Farewell' } })
    expect(renamed).toMatchObject({ success: false, error_code: 'not_authorized' })
    const now = expectSuccess(await started.api.get<Autoresponder>(path))
    expect(now).toMatchObject({ name, paused: true })
  })

  it('cannot be paused or resumed by a user who may only edit it', async () => {
    const list = await makeList(started.api)
    const { id } = await makeAutoresponder(started.api, list.id, 'Welcome')
    const path = `/mailing_lists/${list.id}/autoresponders/${id}`
    const user = await clientOfUser(started, { permissions: { autoresponder: ['update'] } })
    const paused = await user.put(path, { autoresponder: { name: 'Farewell', paused: true } })
    expect(paused).toMatchObject({ success: false, error_code: 'not_authorized' })
    expectSuccess(await user.put(path, { autoresponder: { name: 'Farewell', paused: false } }))
  })
})

describe('a key of a system administrator', () => {
  it('is revoked by their own kind only', async () => {
    await started.api.workbench('POST', '/api_keys', { name: 'of the system' })
    const admin = await clientOfUser(started, { role: 'organization_admin' })
    const { data: keys } = await started.api.workbench<{ id: number; name: string }[]>('GET', '/api_keys')
    const key = keys.find(({ name }) => name === 'of the system')
    const path = `/api_keys/${key?.id}`
    expect(await admin.workbench('DELETE', path)).toMatchObject({
      success: false,
      error_code: 'not_authorized'
    })
    expectSuccess(await started.api.workbench('DELETE', path))
  })
})

it('a server with a route without an access rule does not start', async () => {
  const app = fastify()
  requireDeclaredAccess(app)
  app.get('/open', { config: { access: 'public' } }, async () => 'for anyone')
  app.get('/forgotten', async () => 'for nobody knows whom')
  await expect(app.ready()).rejects.toThrow('GET /forgotten does not declare who may use it')
})

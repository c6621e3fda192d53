import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { readArguments } from '../../src-main/headless/arguments.ts'
import { signingSecret } from '../../src-main/settings/queries.ts'
import { defaultSettings } from '../../src-main/settings/schema.ts'
import { createApp } from '../support/built.ts'
import { clientOf, startApplication } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'

describe('--set NAME=VALUE', () => {
  it('reads each directive by its type', () => {
    const { settings } = readArguments([
      '--set',
      'service_disable_subscriber_deletion=true',
      '--set=service_user_login_lockout_duration=60',
      '--set',
      'service_terms_and_conditions_version=null'
    ])
    expect(settings).toEqual({
      service_disable_subscriber_deletion: true,
      service_user_login_lockout_duration: 60,
      service_terms_and_conditions_version: null
    })
  })

  it.each([
    ['colour=blue', /NAME is one of service_disable_subscriber_deletion/],
    ['service_disable_subscriber_deletion', /must be NAME=VALUE/],
    ['service_disable_subscriber_deletion=perhaps', /must be boolean/],
    ['service_user_login_lockout_duration=-1', /must be >= 0/],
    ['service_user_login_lockout_duration=', /must be integer/]
  ])('refuses %s', (text, message) => {
    expect(() => readArguments(['--set', text])).toThrow(message)
  })

  it('is permanent, also for later starts', async () => {
    const { app, dataDirectory } = await startApplication()
    await app.close()
    const settings = { service_disable_subscriber_deletion: true }
    await (await createApp({ dataDirectory, port: 0, settings })).close()
    const again = await createApp({ dataDirectory, port: 0 })
    const api = await clientOf(again)
    const response = await api.raw('/app/v1/settings')
    expect(((await response.json()) as { data: unknown }).data).toEqual({ ...defaultSettings, ...settings })
    await again.close()
  })
})

describe('PUT /app/v1/settings', () => {
  it('sets directives only, and never a secret of the installation', async () => {
    const { api, dataDirectory } = await startApplication()
    const database = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
    const before = (await signingSecret(database)).export()
    await api.raw('/app/v1/settings', { method: 'PUT', body: '{"signing_secret":"00"}' })
    expect((await signingSecret(database)).export()).toEqual(before)
    await database.destroy()
  })
})

describe('service_disable_subscriber_deletion', () => {
  it('refuses to delete subscribers until it is turned off in the window', async () => {
    const { api } = await startApplication()
    const set = (value: boolean) =>
      api.raw('/app/v1/settings', {
        method: 'PUT',
        body: JSON.stringify({ service_disable_subscriber_deletion: value })
      })
    const list = await makeList(api)
    const { id } = await makeSubscriber(api, list.id, 'a@example.com')
    await set(true)
    expect(await api.delete(`/mailing_lists/${list.id}/subscribers/${id}`)).toMatchObject({
      success: false,
      error_code: 'validation_failed'
    })
    await set(false)
    expect((await api.delete(`/mailing_lists/${list.id}/subscribers/${id}`)).success).toBe(true)
  })
})

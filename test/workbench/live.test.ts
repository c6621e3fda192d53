import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../src-main/workbench/events.ts'
import { makeUser } from '../support/accounts.ts'
import { basic, sharedApplication } from '../support/application.ts'
import { importText, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()

describe('live events', () => {
  it('tell a window what another program changed', async () => {
    const stop = new AbortController()
    const response = await started.api.raw('/app/v1/events', { signal: stop.signal })
    expect(response.headers.get('Content-Type')).toBe('text/event-stream')
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const wanted: LiveEvent = { entity: 'subscriber', mailing_list_id: list.id }
    while (!text.includes(JSON.stringify(wanted))) text += (await reader?.read())?.value ?? ''
    expect(text).toContain(JSON.stringify({ entity: 'mailing_list', mailing_list_id: list.id }))
    stop.abort()
  })

  it('tell of an import that goes on although it changes nobody', async () => {
    const list = await makeList(started.api)
    await importText(started.api, list.id, 'email\na@example.com\n', { column_mapping: ['email'] })
    const stop = new AbortController()
    const response = await started.api.raw('/app/v1/events', { signal: stop.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    await importText(started.api, list.id, 'email\na@example.com\n', { column_mapping: ['email'] })
    const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
    const changes = database
      .prepare<[], { entity: string; action: string }>(
        'SELECT entity, action FROM change_log ORDER BY id DESC LIMIT 5'
      )
      .all()
    database.close()
    // It was made, was read, began to write, skipped its row and ended.
    expect(changes.map(({ entity, action }) => `${entity} ${action}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'subscriber_import update'),
      'subscriber_import create'
    ])
    let text = ''
    while (!text.includes('subscriber_import')) text += (await reader?.read())?.value ?? ''
    stop.abort()
  })

  it('end for a user who may not sign in any more', async () => {
    const { id } = await makeUser(started)
    const { data } = await started.api.workbench<{ api_key: string }>('POST', '/api_keys', {
      name: 'window',
      user_id: id
    })
    const response = await fetch(`${started.app.baseUrl}/app/v1/events`, {
      headers: { Authorization: basic(`1:${data.api_key}`) }
    })
    await started.api.put(`/users/${id}`, { user: { active: false } })
    // The whole answer is there once the server has ended it.
    expect(await response.text()).toContain(': listening')
  })
})

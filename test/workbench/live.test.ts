import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../src-main/workbench/events/schema.ts'
import { makeOrganization, makeUser, systemAdminIn } from '../support/accounts.ts'
import { basic, sharedApplication } from '../support/application.ts'
import { importText, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()

interface Events {
  /** Resolves with the text so far once it contains `wanted`. */
  until(wanted: string): Promise<string>
  stop(): void
}

/** Listens to live events. @param query such as `?changed_within=1000` */
async function listen(query = '', api = started.api): Promise<Events> {
  const stop = new AbortController()
  const response = await api.raw(`/app/v1/events${query}`, { signal: stop.signal })
  expect(response.headers.get('Content-Type')).toBe('text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    until: async (wanted) => {
      while (!text.includes(wanted)) {
        const read = await reader?.read()
        if (!read || read.done) throw new Error(`ended without ${wanted}: ${text}`)
        text += read.value
      }
      return text
    },
    stop: () => stop.abort()
  }
}

function changeOf({ id }: { id: number }, entity: LiveEvent['entity'] = 'mailing_list'): string {
  return JSON.stringify({ entity, mailing_list_id: id })
}

describe('live events', () => {
  it('notify a window of what another program changed', async () => {
    const events = await listen()
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    expect(await events.until(changeOf(list, 'subscriber'))).toContain(changeOf(list))
    events.stop()
  })

  it('notify a window that was still loading of what changed meanwhile', async () => {
    const before = await makeList(started.api)
    const events = {
      meanwhile: await listen('?changed_within=60000'),
      none: await listen('?changed_within=0'),
      later: await listen(),
      // Changes are not kept for so long: anything may have changed.
      tooLong: await listen('?changed_within=60001')
    }
    const after = changeOf(await makeList(started.api))
    expect(await events.meanwhile.until(after)).toContain(changeOf(before))
    expect(await events.none.until(after)).not.toContain(changeOf(before))
    expect(await events.later.until(after)).not.toContain(changeOf(before))
    expect(await events.tooLong.until('data: null')).not.toContain(changeOf(before))
    for (const each of Object.values(events)) each.stop()
  })

  it('notify an organization of its own changes only', async () => {
    const other = await systemAdminIn(started.app, await makeOrganization(started))
    const [own, others] = [await makeList(started.api), await makeList(other)]
    const events = [
      await listen('?changed_within=60000'),
      await listen('?changed_within=60000', other)
    ] as const
    const later = [await makeList(started.api), await makeList(other)] as const
    const heard = [
      await events[0].until(changeOf(later[0])),
      await events[1].until(changeOf(later[1]))
    ] as const
    expect(heard[0]).toContain(changeOf(own))
    expect(heard[1]).toContain(changeOf(others))
    for (const list of [others, later[1]]) expect(heard[0]).not.toContain(changeOf(list))
    for (const list of [own, later[0]]) expect(heard[1]).not.toContain(changeOf(list))
    for (const each of events) each.stop()
  })

  it('refuse a time that is no number of milliseconds', async () => {
    const response = await started.api.raw('/app/v1/events?changed_within=-1')
    expect(await response.json()).toMatchObject({ success: false, error_code: 'validation_failed' })
  })

  it('report an import that continues although it changes no subscriber', async () => {
    const list = await makeList(started.api)
    await importText(started.api, list.id, 'email\na@example.com\n', { column_mapping: ['email'] })
    const events = await listen()
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
    await events.until('subscriber_import')
    events.stop()
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

import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { endpoints } from './conformance/endpoints.ts'

const started = sharedApplication()

function newestChange(): number {
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
  const newest = database.prepare<[], number>('SELECT coalesce(max(id), 0) FROM change_log').pluck().get()
  database.close()
  return newest ?? 0
}

const changing = endpoints
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
  // A preview is a message, and a rehearsal sends none: both leave the campaign as it is. So does a replay the webhook.
  .filter(
    ([name, { method }]) =>
      method !== 'GET' && !/\/(send_preview|test|resend_uncertain|rehearsal|replay)$/.test(name)
  )

it.each(changing)('%s is in the change log', async (_name, { method, path, prepare }) => {
  const { parameters = {}, query, body } = await prepare(started)
  const before = newestChange()
  const to = path.replaceAll(/\{(\w+)\}/g, (_match, key: string) => String(parameters[key]))
  await started.api.raw(`/ga/api/v2${to}${query === undefined ? '' : `?${query}`}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  expect(newestChange()).toBeGreaterThan(before)
})

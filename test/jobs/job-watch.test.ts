import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { BulkAction } from '../../src-main/api/bulk-actions/schema.ts'
import type { JobsAtWork } from '../../src-main/job-watch.ts'
import { startApplication } from '../support/application.ts'
import { expectSuccess, importText, makeList } from '../support/builders.ts'
import { select, undo } from '../support/bulk-actions.ts'

// The job list that the desktop shell reads before it quits, sleeps or updates.

test('a bulk action and its undo count as jobs while they run, and their end is reported', async () => {
  const { app, api } = await startApplication()
  const list = await makeList(api, { name: 'Readers' })
  const rows = Array.from({ length: 20_000 }, (_, row) => `reader${row}@example.com`)
  await importText(api, list.id, `email\n${rows.join('\n')}\n`)
  const told: JobsAtWork[] = []
  app.onJobs((jobs) => told.push(jobs))
  const selection = await select(api, list.id)
  const { id } = expectSuccess(
    await api.workbench<BulkAction>('POST', `/selections/${selection.id}/bulk_actions`, {
      kind: 'set_status',
      status: 'deactivated'
    })
  )
  const running = await app.runningJobs()
  expect(running).toMatchObject([
    { type: 'BulkAction', id, state: 'running', page: `/lists/${list.id}/bulk-actions` }
  ])
  await vi.waitFor(async () => expect(await app.runningJobs()).toEqual([]), 20_000)
  const undoing = undo(api, id)
  await vi.waitFor(async () => expect(await app.runningJobs()).toMatchObject([{ id }]), { interval: 5 })
  await undoing
  expect(await app.runningJobs()).toEqual([])
  await vi.waitFor(() => expect(told.at(-1)?.running).toEqual([]), 10_000)
})

test('a sync counts as a job while it runs', async () => {
  const { app, api } = await startApplication()
  // Takes connections and answers nothing.
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await makeList(api, { name: 'Readers' })
  expect(await app.runningJobs()).toEqual([])
  const added = await api.workbench<{ id: number }>('POST', '/remotes', {
    name: 'Head office',
    base_url: `http://127.0.0.1:${port}`,
    organization_id: 1,
    api_key: 'a-key'
  })
  const { id } = expectSuccess(added)
  await api.workbench('POST', `/remotes/${id}/run`)
  await vi.waitFor(
    async () =>
      expect(await app.runningJobs()).toMatchObject([
        { type: 'Sync', id, name: 'Head office', page: `/sync/${id}`, progress: null }
      ]),
    10_000
  )
})

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { IntegrityAnswer } from '../../src-main/integrity/endpoints.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import { entryPoint } from '../support/built.ts'
import { serve } from '../support/process.ts'

// A restore is ended, or fails, at each of its steps in turn.

const parent = await mkdtemp(join(tmpdir(), 'listwright-test-'))
afterAll(() => rm(parent, { recursive: true, force: true }))

/**
 * The data of a killed application: the last subscriber is only in the log, and a campaign was scheduled at
 * the time of the backup.
 */
interface Original {
  directory: string
  listId: number
  campaignId: number
  lastCampaignId: number
  backup: string
}

let original: Promise<Original> | undefined

async function makeOriginal(): Promise<Original> {
  const directory = join(parent, 'original')
  const app = await serve(directory)
  const { id: listId } = await makeList(app.api)
  const dispatch = { from_email: 'sender@example.com', begins_at: '2040-01-01T00:00:00Z' }
  const campaign = await makeCampaign(app.api, listId, { dispatch_attributes: dispatch })
  await makeSubscriber(app.api, listId, 'early@example.com')
  const { data: backup } = await app.api.workbench<{ name: string }>('POST', '/backups')
  const later = await makeCampaign(app.api, listId)
  await app.end('SIGTERM')
  const killed = await serve(directory)
  await makeSubscriber(killed.api, listId, 'late@example.com')
  await killed.end('SIGKILL')
  return { directory, listId, campaignId: campaign.id, lastCampaignId: later.id, backup: backup.name }
}

/**
 * Runs `listwright backup restore`, whose nth file operation fails or kills it.
 * @returns whether it got that far, and its output
 */
function restore(
  directory: string,
  backup: string,
  step: number,
  end: 'killed' | 'failed'
): Promise<{ reached: string | null; status: number | null; error: string }> {
  const args = [
    '--import',
    resolve('test/support/failing-calls.ts'),
    resolve(entryPoint),
    ...['backup', 'restore', backup, '--data-dir', directory, '--json']
  ]
  const env = { ...process.env, FAILING_CALL: String(step), FAILING_IN: directory, FAILING_AS: end }
  return new Promise((done) => {
    execFile(process.execPath, args, { env }, (error, stdout) => {
      const path = `${directory}.reached`
      const said = stdout === '' ? {} : (JSON.parse(stdout) as { error?: string })
      done({
        reached: existsSync(path) ? readFileSync(path, 'utf8') : null,
        status: error ? ((error.code as number | undefined) ?? null) : 0,
        error: said.error ?? ''
      })
    })
  })
}

test.each(['killed', 'failed'] as const)(
  'a restore that is %s at any of its steps leaves the old or the new state, and its report is true',
  async (end) => {
    const {
      directory: from,
      listId,
      campaignId,
      lastCampaignId,
      backup
    } = await (original ??= makeOriginal())
    const folder = await temporaryDirectory()
    let step = 1
    for (; ; step++) {
      const directory = join(folder, `step-${step}`)
      await cp(from, directory, { recursive: true })
      const { reached, status, error } = await restore(directory, backup, step, end)
      const where = `${step}: ${reached} ${error}`
      const { app, api } = await startApplication(directory)
      const emails = (await allSubscribers(api, listId)).map(({ email }) => email)
      const isRestored = emails.length === 1
      expect(emails, where).toEqual(
        isRestored ? ['early@example.com'] : ['early@example.com', 'late@example.com']
      )
      if (status !== null) {
        const isDone = status === 0 || error.startsWith('The backup is in place')
        expect(isRestored, where).toBe(isDone)
      }
      const { data: campaign } = await api.get<CampaignDetail>(`/campaigns/${campaignId}`)
      expect(campaign.dispatch?.paused, where).toBe(isRestored)
      expect((await makeCampaign(api, listId)).id, where).toBeGreaterThan(lastCampaignId)
      await expect
        .poll(async () => (await api.workbench<IntegrityAnswer>('GET', '/integrity')).data, {
          message: where
        })
        .toEqual({ state: 'sound', faults: [] })
      await app.close()
      expect(
        (await readdir(directory)).filter((name) => /restore|replaced|\.part$/.test(name)),
        where
      ).toEqual([])
      await rm(directory, { recursive: true })
      if (reached === null) break
    }
    // Each of them is a place where it was ended.
    expect(step).toBeGreaterThan(20)
  }
)

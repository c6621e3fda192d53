import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Rehearsal } from '../../src-main/delivery/rehearsal/schema.ts'
import { expectSuccess, makeCampaign } from '../support/builders.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'
import { html } from './smtp.ts'

export interface RehearsalFigures extends Latencies {
  recipients: number
  seconds: number
  messages_per_second: number
}

/** Composes a message of 3 kB with ten links for so many people, while a client reads or writes every 20 ms. */
export async function benchRehearsal(rows: number): Promise<RehearsalFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    const { id } = await makeCampaign(api, list.id, {
      contents: [{ subject: 'News for %%first_name|you%%', format: 'html', html }]
    })
    const meanwhile = await callMeanwhile(api, list.id)
    const began = performance.now()
    expectSuccess(await api.post<Rehearsal>(`/campaigns/${id}/rehearsal`))
    for (;;) {
      const { state, report } = expectSuccess(await api.get<Rehearsal>(`/campaigns/${id}/rehearsal`))
      if (state === 'finished' && report?.messages === rows) break
      if (state !== 'running') throw new Error(`the rehearsal is ${state}`)
      await pause(100)
    }
    const seconds = (performance.now() - began) / 1000
    return { recipients: rows, seconds, messages_per_second: rows / seconds, ...(await meanwhile.stop()) }
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

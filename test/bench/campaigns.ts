import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCampaign } from '../support/builders.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { maxJobTime, makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'

export interface CampaignFigures extends Latencies {
  recipients: number
  seconds: number
  messages_per_second: number
  outbox_mb: number
  /** Before anything was sent, and the peak since. */
  peak_memory_mb: (number | null)[]
}

const paragraph =
  '<p style="margin:0 0 16px">Dear %%first_name%%, <a href="https://example.com/offer?n=NUMBER">offer NUMBER</a> for %%city%% is here.</p>'
const html = `<html><body>${Array.from({ length: 10 }, (_, number) => paragraph.replaceAll('NUMBER', String(number))).join('\n')}<p><a href="%%unsubscribe_link%%">Unsubscribe</a></p></body></html>`
const text =
  'Dear %%first_name%%,\n\nhttps://example.com/offer for %%city%%\n\nUnsubscribe: %%unsubscribe_link%%\n'

/** A campaign to a tenth of so many people and one to all of them, while a client reads or writes every 20 ms. */
export async function benchCampaigns(rows: number): Promise<CampaignFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  const peak = (): number | null => {
    const bytes = server.peakMemory()
    return bytes === undefined ? null : bytes / 1e6
  }
  try {
    const { api } = server
    const figures: CampaignFigures[] = []
    for (const recipients of [Math.max(1, Math.round(rows / 10)), rows]) {
      const { list } = await makeFilledList(api, directory, recipients, 0)
      server.forgetPeakMemory()
      const before = peak()
      const meanwhile = await callMeanwhile(api, list.id)
      const began = performance.now()
      const { id } = await makeCampaign(api, list.id, {
        contents: [{ subject: 'News for %%first_name%%', format: 'both', html, text }],
        dispatch_attributes: { from_email: 'sender@example.com', begins_at: Math.floor(Date.now() / 1000) }
      })
      const { stat_summary } = await api.sent(id, maxJobTime)
      const seconds = (performance.now() - began) / 1000
      const latencies = await meanwhile.stop()
      if (stat_summary?.messages_sent !== recipients) throw new Error('not everybody was sent to')
      const { data } = await api.workbench<{ outbox_bytes: number }>('GET', `/campaigns/${id}/progress`)
      figures.push({
        recipients,
        seconds,
        messages_per_second: recipients / seconds,
        outbox_mb: data.outbox_bytes / 1e6,
        peak_memory_mb: [before, peak()],
        ...latencies
      })
    }
    return figures
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

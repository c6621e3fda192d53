import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCampaign } from '../support/builders.ts'
import type { Answer, Client } from '../support/client.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { maxJobTime, makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'

export interface CampaignFigures extends Latencies {
  recipients: number
  /** The bytes of a picture that each message carries along. */
  picture_bytes: number
  seconds: number
  messages_per_second: number
  outbox_mb: number
  /** Before anything was sent, and the peak since. */
  peak_memory_mb: (number | null)[]
}

const paragraph =
  '<p style="margin:0 0 16px">Dear %%first_name%%, <a href="https://example.com/offer?n=NUMBER">offer NUMBER</a> für %%city%% is here.</p>'
const html = `<html><body>${Array.from({ length: 10 }, (_, number) => paragraph.replaceAll('NUMBER', String(number))).join('\n')}<p><a href="%%unsubscribe_link%%">Unsubscribe</a></p></body></html>`
const text =
  'Grüße, dear %%first_name%%,\n\nhttps://example.com/offer for %%city%%\n\nUnsubscribe: %%unsubscribe_link%%\n'

const pictureBytes = 20_000

/**
 * A campaign to a tenth of so many people, one to all of them, and one with a picture to a third, while a client reads or writes every 20 ms.
 */
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
    const campaigns = [
      { recipients: Math.ceil(rows / 10), picture: 0 },
      { recipients: rows, picture: 0 },
      { recipients: Math.ceil(rows / 3), picture: pictureBytes }
    ]
    for (const { recipients, picture } of campaigns) {
      const { list } = await makeFilledList(api, directory, recipients, 0)
      server.forgetPeakMemory()
      const before = peak()
      const meanwhile = await callMeanwhile(api, list.id)
      const began = performance.now()
      const { id } = await makeCampaign(api, list.id, {
        contents: [
          {
            subject: 'News for %%first_name%%',
            format: 'both',
            html: picture > 0 ? html + (await pictureIn(api, picture)) : html,
            text
          }
        ],
        dispatch_attributes: { from_email: 'sender@example.com', begins_at: Math.floor(Date.now() / 1000) }
      })
      const { stat_summary } = await api.sent(id, maxJobTime)
      const seconds = (performance.now() - began) / 1000
      const latencies = await meanwhile.stop()
      if (stat_summary?.messages_sent !== recipients) throw new Error('not everybody was sent to')
      const { data } = await api.workbench<{ outbox_bytes: number }>('GET', `/campaigns/${id}/progress`)
      figures.push({
        recipients,
        picture_bytes: picture,
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

/** Stores a PNG of so many bytes that no encoder made, and returns the HTML that shows it. */
async function pictureIn(api: Client, bytes: number): Promise<string> {
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(bytes - 8)])
  const answer = await api.raw('/app/v1/images?name=a.png', { method: 'POST', body: new Uint8Array(png) })
  const { data } = (await answer.json()) as Answer<{ key: string }>
  return `<img src="cid:${data.key}" alt="">`
}

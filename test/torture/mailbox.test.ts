import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Mailbox } from '../../src-main/api/mailboxes/schema.ts'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { bounceReport, tokenOf } from '../support/bounce-report.ts'
import { expectSuccess } from '../support/builders.ts'
import { dovecot, hasDovecot } from '../support/dovecot.ts'
import { roundsToRun, shortOrLong } from '../support/long.ts'
import { startMailServer } from '../support/mail-server.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { listWith, routeTo, sendNow, until, untilState } from '../support/smtp-route.ts'

// A mailbox of reports is read while the application is killed again and again. Each bounce must count once.

const kills = roundsToRun(5, 300)
const reports = shortOrLong(200, 10_000, 1)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

test.skipIf(!hasDovecot && process.env['CI'] !== 'true')(
  `${reports} reports in a mailbox count once each, in ${kills} kills (SEED=${seed})`,
  { timeout: 3_600_000 },
  async () => {
    const random = seededRandom(seed)
    const directory = await temporaryDirectory()
    const [imap, taker] = [await dovecot(), await startMailServer()]
    let application = await serve(directory)
    await routeTo(application.api, taker.port)
    const emails = Array.from({ length: reports }, (_, index) => `r${index}@example.org`)
    const list = await listWith(application.api, emails)
    const { id } = await sendNow(application.api, list.id)
    await untilState(application.api, id, 'finished', 120_000)
    await taker.close()
    const tokens = taker.received.map(({ to, content }) => ({ to, token: tokenOf(content) }))
    await imap.deliver(
      'bounces',
      tokens.map(({ to, token }) => bounceReport(to, token))
    )

    const settings = { host: '127.0.0.1', port: imap.port, security: 'none', secret: imap.password }
    const mailbox = { name: 'Bounces', username: 'bounces', ...settings }
    const made = expectSuccess(await application.api.post<Mailbox>('/mailboxes', { mailbox }))
    for (let kill = 0; kill < kills; kill++) {
      await pause(300 + random() * 700)
      await application.end('SIGKILL')
      application = await serve(directory)
    }
    await application.api.put(`/mailboxes/${made.id}`, { mailbox: { is_enabled: true } })
    const bounces = async (): Promise<number | undefined> =>
      expectSuccess(await application.api.get<CampaignDetail>(`/campaigns/${id}`)).stat_summary?.bounces_total
    await until(async () => ((await bounces()) ?? 0) >= reports, 600_000)
    await pause(1000)

    const campaign = expectSuccess(await application.api.get<CampaignDetail>(`/campaigns/${id}`))
    expect(campaign.stat_summary).toMatchObject({
      ...{ bounces_total: reports, bounces_unique: reports, bounces_unique_hard: reports },
      bounces_status_updated: reports
    })
    expect(await application.end('SIGTERM')).toBe(0)
  }
)

import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { makeCampaign, makeList } from '../support/builders.ts'
import { outboxOf } from '../support/outbox.ts'
import { roundsToRun, shortOrLong } from '../support/long.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const recipients = shortOrLong(2000, 10_000, 2)
const moments = roundsToRun(3, 12)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

it(
  `a campaign killed at ${moments} random moments is sent to every recipient once (SEED=${seed})`,
  { timeout: 240_000 },
  async () => {
    const random = seededRandom(seed)
    const directory = await temporaryDirectory()
    let application = await serve(directory)
    const list = await makeList(application.api)
    const emails = Array.from({ length: recipients }, (_, number) => `p${number}@example.com`)
    const { data } = await application.api.post<{ id: number }>(
      `/mailing_lists/${list.id}/subscriber_imports`,
      {
        subscriber_import: {
          column_mapping: ['email'],
          file_source: { type: 'json', content: `email\n${emails.join('\n')}` }
        }
      }
    )
    await application.api.imported(data.id)
    const { id } = await makeCampaign(application.api, list.id, {
      contents: ['A', 'B'].map((name) => ({ name, subject: name, format: 'both', html: name, text: name })),
      dispatch_attributes: {
        from_email: 'sender@example.com',
        begins_at: Math.floor(Date.now() / 1000),
        autowinner_enabled: true,
        autowinner_percentage: '40',
        autowinner_delay_amount: 0,
        autowinner_delay_unit: 'minutes',
        autowinner_metric: 'clicks_unique'
      }
    })
    for (let moment = 0; moment < moments; moment++) {
      await pause(random() * 400)
      await application.end('SIGKILL')
      application = await serve(directory)
    }
    const { dispatch, stat_summary, content_stats } = await application.api.sent(id)
    expect(dispatch?.state).toBe('finished')
    const messages = await outboxOf(directory, id)
    const addresses = messages.map(({ headers }) => headers.get('to') ?? '')
    expect(addresses.sort()).toEqual([...emails].sort())
    expect(stat_summary).toMatchObject({
      messages_sent: recipients,
      total_messages: recipients,
      sent_multipart: recipients,
      accepted: recipients
    })
    const perContent = (name: string): number =>
      messages.filter(({ headers }) => headers.get('subject') === name).length
    expect(content_stats.map(({ stat_summary: each }) => each?.messages_sent)).toEqual([
      perContent('A'),
      perContent('B')
    ])
    // The recipients are recorded as exactly: each subscriber, with the version of their message.
    const database = new SQLite(join(directory, 'listwright.db'), { readonly: true })
    const sentTo = database
      .prepare<[], { email: string; name: string }>(
        `SELECT email, campaign_contents.name FROM stat_recipients
         JOIN subscribers ON subscribers.id = subscriber_id
         JOIN stat_slices ON stat_slices.id = stat_slice_id
         JOIN campaign_contents ON campaign_contents.id = content_id`
      )
      .all()
    database.close()
    const pairs = (all: { email: string; name: string }[]): string[] =>
      all.map(({ email, name }) => `${email} ${name}`).sort()
    const written = messages.map(({ headers }) => ({
      email: headers.get('to') ?? '',
      name: headers.get('subject') ?? ''
    }))
    expect(pairs(sentTo)).toEqual(pairs(written))
    const { data: detail } = await application.api.get<CampaignDetail>(`/campaigns/${id}`)
    expect(detail.automatic_winner_selection?.snapshots).toHaveLength(2)
    await application.end('SIGTERM')
  }
)

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { expectSuccess } from '../support/builders.ts'
import { hasDatabases, postgresql } from '../support/databases.ts'
import { roundsToRun } from '../support/long.ts'
import { mailServer } from '../support/mail-server.ts'
import { outboxOf } from '../support/outbox.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { remoteListOn, sendQuery } from '../support/remote-lists.ts'
import { journalOf, routeTo, until } from '../support/smtp-route.ts'

// Campaigns to the rows of a database are killed while their recipients are read and while messages leave, to the outbox and by SMTP. Each row gets the
// message with its own values once; by SMTP those whose delivery is shown as uncertain may have none.

const kills = Number(process.env['ROUNDS'] ?? roundsToRun(6, 50))
const recipients = 4000
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const program = [process.execPath, 'test/torture/application-with-short-pauses.ts']
/** The longest time until a kill, in milliseconds: about as long as a campaign takes. */
const longestRun = { outbox: 1500, smtp: 3000 }
const query = `SELECT 'u' || n || '@example.org' AS email, n AS distinct_id, 'Name ' || n AS name FROM people ORDER BY n`

test.skipIf(!hasDatabases && process.env['CI'] !== 'true')(
  `campaigns to Remote Lists reach each row once, whatever is killed (seed ${seed})`,
  { timeout: 120_000 + kills * 30_000 },
  async () => {
    const random = seededRandom(seed)
    const server = await postgresql()
    server.run(
      `CREATE TABLE people AS SELECT n FROM generate_series(1, ${recipients}) AS n; GRANT SELECT ON people TO anna`
    )
    const directory = await temporaryDirectory()
    const start = (): Promise<ServedApplication> => serve(directory, { program })
    let application = await start()
    const list = await remoteListOn(application.api, server.target)
    const taker = await mailServer()
    const smtp = await routeTo(application.api, taker.port)
    let killed = 0
    for (let round = 0; killed < kills; round++) {
      const bySmtp = round % 2 === 1
      const routes = { delivery_route: { smtp_server_ids: bySmtp ? [smtp.id] : [] } }
      expectSuccess(await application.api.put('/delivery_routes/0', routes))
      taker.received.length = 0
      const { id } = await sendQuery(application.api, list.id, query, {
        contents: [{ subject: '%%name%%', format: 'text', text: '%%subscriber_id%%' }]
      })
      const campaign = async (): Promise<CampaignDetail> =>
        expectSuccess(await application.api.get<CampaignDetail>(`/campaigns/${id}`))
      while (killed < kills && (await campaign()).dispatch?.state !== 'finished') {
        await pause(random() * (bySmtp ? longestRun.smtp : longestRun.outbox))
        await application.end('SIGKILL')
        killed++
        application = await start()
      }
      await until(async () => (await campaign()).dispatch?.state === 'finished', 120_000)

      const sent = bySmtp
        ? taker.received.map(({ to, content }) => [String(to), /^Subject: (.*)$/m.exec(content)?.[1]?.trim()])
        : (await outboxOf(directory, id)).map(({ headers }) => [headers.get('to'), headers.get('subject')])
      const problem = `seed ${seed}, round ${round}, ${killed} kills`
      const wrong = sent.filter(([to, subject]) => to !== `u${subject?.replace('Name ', '')}@example.org`)
      expect(wrong, problem).toEqual([])
      expect(new Set(sent.map(([to]) => to)).size, problem).toBe(sent.length)
      const { uncertain } = bySmtp ? await journalOf(application.api, id) : { uncertain: 0 }
      expect(sent.length, problem).toBeGreaterThanOrEqual(recipients - uncertain)
      expect(sent.length, problem).toBeLessThanOrEqual(recipients)
      expect((await campaign()).stat_summary?.messages_sent, problem).toBe(recipients)
      if (uncertain === 0) {
        await until(async () => !existsSync(join(directory, 'spools', `campaign-${id}.db`)), 10_000)
      }
    }
    await application.end('SIGTERM')
    process.stderr.write(`${killed} kills, seed ${seed}\n`)
  }
)

import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { WriteBack } from '../../src-main/write-back/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { expectSuccess } from '../support/builders.ts'
import { hasDatabases, postgresql } from '../support/databases.ts'
import { roundsToRun } from '../support/long.ts'
import { outboxOf } from '../support/outbox.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { remoteListOn, sendQuery } from '../support/remote-lists.ts'
import { until, untilState } from '../support/smtp-route.ts'

// Recipients unsubscribe while the application and their database are killed again and again. Each unsubscribe that was confirmed is in the table once, and
// rows are in the order in which the application learned of them.

const rounds = Number(process.env['ROUNDS'] ?? roundsToRun(8, 300))
const perRound = 12
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const program = [process.execPath, 'test/torture/application-with-short-pauses.ts']

test.skipIf(!hasDatabases && process.env['CI'] !== 'true')(
  `unsubscribes are written back once, whatever is killed (seed ${seed})`,
  { timeout: 120_000 + rounds * 20_000 },
  async () => {
    const random = seededRandom(seed)
    const people = rounds * perRound
    const server = await postgresql({ fsync: 'on' })
    server.run(
      `CREATE TABLE people AS SELECT n FROM generate_series(1, ${people}) AS n; GRANT SELECT ON people TO anna`
    )
    const directory = await temporaryDirectory()
    const start = (): Promise<ServedApplication> => serve(directory, { program })
    let application = await start()
    const list = await remoteListOn(application.api, server.target)
    const writeBack = async (): Promise<WriteBack> =>
      expectSuccess(await application.api.get<WriteBack>(`/mailing_lists/${list.id}/write_back`))
    // The order in which rows came, which the statement does not have.
    server.run((await writeBack()).create_sql ?? '')
    server.run(`ALTER TABLE listwright_removals ADD COLUMN place BIGSERIAL;
      GRANT INSERT, SELECT ON listwright_removals TO anna; GRANT USAGE ON SEQUENCE listwright_removals_place_seq TO anna`)
    const { id } = await sendQuery(
      application.api,
      list.id,
      "SELECT 'u' || n || '@example.org' AS email, n AS distinct_id FROM people",
      { contents: [{ subject: 'x', format: 'text', text: '%%unsubscribe_link%%' }] }
    )
    await untilState(application.api, id, 'finished', 60_000)
    const links = (await outboxOf(directory, id)).map(({ headers, body }) => ({
      email: headers.get('to') ?? '',
      path: new URL(body.trim()).pathname
    }))
    const write_back = { is_enabled: true }
    expectSuccess(await application.api.put(`/mailing_lists/${list.id}/write_back`, { write_back }))

    const sure = new Set<string>()
    const perhaps = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const leaving = links.slice(round * perRound, (round + 1) * perRound)
      const kills = random() < 0.5 ? 'application' : 'both'
      const ends = (async (): Promise<void> => {
        await pause(random() * 500)
        if (kills === 'both') await server.kill()
        await application.end('SIGKILL')
      })()
      for (const { email, path } of leaving) {
        perhaps.add(email)
        const isDone = await fetch(application.ready.base_url + path, { method: 'POST' }).then(
          ({ ok }) => ok,
          () => false
        )
        if (isDone) sure.add(email)
      }
      await ends
      if (kills === 'both') await server.start()
      application = await start()
    }
    await until(async () => (await writeBack()).waiting === 0, 60_000)

    const rows = server.run('SELECT email, occurred_at FROM listwright_removals ORDER BY place').split('\n')
    const written = rows.map((row) => row.split('|'))
    const emails = written.map(([email = '']) => email)
    expect(new Set(emails).size, `seed ${seed}`).toBe(emails.length)
    expect(
      [...sure].filter((email) => !emails.includes(email)),
      `seed ${seed}`
    ).toEqual([])
    expect(
      emails.filter((email) => !perhaps.has(email)),
      `seed ${seed}`
    ).toEqual([])
    const times = written.map(([, time = '']) => time)
    expect(times, `seed ${seed}`).toEqual([...times].sort())
    await application.end('SIGTERM')
    process.stderr.write(`${rounds} rounds, ${emails.length} rows, ${sure.size} confirmed, seed ${seed}\n`)
  }
)

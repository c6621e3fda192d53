import SQLite from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { deleteChecksums } from '../../src-main/integrity/examine.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import { Housekeeper } from '../../src-main/jobs/housekeeper.ts'
import { type ClockState, checkClock } from '../../src-main/jobs/retention.ts'
import { retentionRules } from '../../src-main/retention-rules.ts'
import { Clock } from '../../src-main/settings/clock.ts'
import { startApplication } from '../support/application.ts'
import { importText, makeCampaign, makeList } from '../support/builders.ts'
import { commandBench } from '../support/commands.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

describe('a clock that was set back', () => {
  /** An application whose last start was three days in the future by a wrong clock. */
  async function aheadUntilNow(statement: string, id: number, dataDirectory: string): Promise<void> {
    const database = new SQLite(join(dataDirectory, 'listwright.db'))
    const ahead = Date.now() + 3 * day
    database.prepare(statement).run({ id, ahead })
    database.close()
    deleteChecksums(database.name)
  }

  it('does not stop an import that was to begin at once, after a restart', async () => {
    const first = await startApplication()
    const list = await makeList(first.api)
    const later = Math.floor(Date.now() / 1000) + 3600
    const { data } = await first.api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        begins_at: later,
        column_mapping: ['email'],
        file_source: { type: 'json', content: 'email\na@example.com\n' }
      }
    })
    await first.app.close()
    const set = 'UPDATE subscriber_imports SET begins_at = @ahead, begins_at_once = 1 WHERE id = @id'
    await aheadUntilNow(set, data.id, first.dataDirectory)
    const { api } = await startApplication(first.dataDirectory)
    expect((await api.imported(data.id, 20_000)).state).toBe('finished')
  })

  it('does not delay a campaign that should begin immediately, even after a restart', async () => {
    const first = await startApplication()
    const list = await makeList(first.api)
    await importText(first.api, list.id, 'email\na@example.com\n')
    const begins_at = Math.floor(Date.now() / 1000) + 3600
    const dispatch_attributes = { from_email: 'a@example.com', begins_at }
    const { id } = await makeCampaign(first.api, list.id, { dispatch_attributes })
    await first.app.close()
    const set = 'UPDATE dispatches SET begins_at = @ahead, begins_at_once = 1 WHERE campaign_id = @id'
    await aheadUntilNow(set, id, first.dataDirectory)
    const { api } = await startApplication(first.dataDirectory)
    expect((await api.sent(id, 20_000)).dispatch?.state).toBe('finished')
  })

  it('does not begin what was set for a time that is still to come', async () => {
    const bench = await commandBench()
    await bench.run('accounts.ensureSystemOrganization', undefined)
    const mailingListId = await bench.run('mailingLists.create', {
      organizationId: 1,
      list: { name: 'List' }
    })
    // Commands go on from the time that the clock had before, and no two have the same.
    const clock = Date.now() - 3 * hour
    const later = Math.floor((clock + hour) / 1000)
    const scope = { organizationId: 1, timeZone: 'UTC', mailingListId }
    const source = {
      source_template_id: null,
      duplicate_segmentation_criteria: false,
      duplicate_content: false,
      duplicate_dispatch: false
    }
    const create = (begins_at: number): Promise<number> =>
      bench.run(
        'campaigns.create',
        {
          ...scope,
          kind: 'campaign',
          source,
          campaign: { name: 'News', dispatch_attributes: { begins_at } }
        },
        { clock }
      )
    const begins = (id: number): unknown =>
      bench.sqlite.prepare('SELECT begins_at, begins_at_once FROM dispatches WHERE campaign_id = ?').get(id)
    expect(begins(await create(later))).toEqual({ begins_at: later * 1000, begins_at_once: 0 })
    expect(begins(await create(Math.floor(clock / 1000)))).toEqual({ begins_at: clock, begins_at_once: 1 })
  })
})

describe('what is removed by its age', () => {
  async function withImport() {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const { id } = await importText(api, list.id, 'email\na@example.com\n')
    await app.close()
    const databasePath = join(dataDirectory, 'listwright.db')
    const logs = join(dataDirectory, 'imports', String(id))
    const at = async (now: number): Promise<boolean> => {
      const writer = await startWriter({ databasePath, backupDirectory: dataDirectory })
      const reader = kyselyOver(openForReading(databasePath))
      try {
        const rules = retentionRules(reader, writer, dataDirectory, () => undefined)
        const clock = new Clock(reader, writer)
        await new Housekeeper(rules, (at) => clock.isBelieved(at)).tidy(now)
      } finally {
        await reader.destroy()
        await writer.close()
      }
      return existsSync(logs)
    }
    return { at, finished: Date.now() }
  }

  it('stays for seven days and no longer, while the clock goes on', async () => {
    const { at, finished } = await withImport()
    for (let days = 0; days < 7; days++) expect(await at(finished + days * day)).toBe(true)
    expect(await at(finished + 7 * day - 60_000)).toBe(true)
    expect(await at(finished + 7 * day + 60_000)).toBe(false)
  })

  it('stays when the clock is eight days ahead at the start', async () => {
    const { at, finished } = await withImport()
    expect(await at(finished + 8 * day)).toBe(true)
    expect(await at(finished + 8 * day + 3_600_000)).toBe(true)
    // Then it was set right.
    expect(await at(finished + 2 * 3_600_000)).toBe(true)
  })

  it('stays when the clock is wrong again and again, however often it is looked at', async () => {
    const { at, finished } = await withImport()
    for (const days of [8, 9, 20, 30, 40, 41]) expect(await at(finished + days * day), `${days}`).toBe(true)
    // Then it was set right.
    expect(await at(finished + 2 * hour)).toBe(true)
  })

  it('goes once the application has run for six hours after a long absence', () => {
    const absent = checkClock({ seenAt: 0, livedSinceJump: null }, 20 * day, 0)
    expect(absent.isBelieved).toBe(false)
    let state = absent
    for (let hours = 1; hours <= 5; hours++) {
      state = checkClock(state, 20 * day + hours * hour, hour)
      expect(state.isBelieved, `${hours} h`).toBe(false)
    }
    expect(checkClock(state, 20 * day + 6 * hour, hour).isBelieved).toBe(true)
  })

  it('goes as well where the application is open every other day, or an hour a week', () => {
    for (const { every, hours } of [
      { every: 2, hours: 8 },
      { every: 7, hours: 1 }
    ]) {
      let clock: ClockState | null = null
      let believed = 0
      for (let start = 0; start < 120 * day; start += every * day) {
        for (let at = start; at <= start + hours * hour; at += hour) {
          const { isBelieved, ...state } = checkClock(clock, at, at === start ? 0 : hour)
          clock = state
          if (start > 0 && isBelieved) believed++
        }
      }
      expect(believed, `every ${every} days`).toBeGreaterThan(1)
    }
  })

  it('stays when the clock jumps ahead twice', () => {
    let state = checkClock({ seenAt: 0, livedSinceJump: null }, 3 * day, 0)
    state = checkClock(state, 40 * day, hour)
    expect(state.isBelieved).toBe(false)
  })

  it('follows a clock that is only adjusted', () => {
    const before = { seenAt: 10 * day, livedSinceJump: null }
    for (const passed of [-5 * 60_000, 0, day])
      expect(checkClock(before, 10 * day + passed, 0).isBelieved).toBe(true)
    for (const passed of [-5 * 60_000 - 1, day + 1]) {
      expect(checkClock(before, 10 * day + passed, 0)).toMatchObject({
        isBelieved: false,
        livedSinceJump: 0
      })
    }
  })
})

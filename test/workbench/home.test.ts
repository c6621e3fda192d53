import { describe, expect, it } from 'vitest'
import { subscriberGrowth } from '../../src-main/api/subscriber-counts/days.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import type { DatabaseFault, DiskSpace, SubscriberGrowth } from '../../src-main/workbench/home/endpoints.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { deleteList, expectSuccess, makeList, makeSubscriber } from '../support/builders.ts'
import { commandBench } from '../support/commands.ts'
import { remoteListOn, sqliteFile } from '../support/remote-lists.ts'
import { until } from '../support/smtp-route.ts'

const none = { active: 0, bounced: 0, unsubscribed: 0, scomp: 0, deactivated: 0 }

const plain = {
  status: 'active',
  apply_custom_field_defaults: false,
  skip_autoresponders: false,
  autoresponder_exclude_reacted: false
} as const

async function growingList() {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  bench.sqlite.exec("UPDATE organizations SET time_zone_name = 'America/New_York'")
  const mailingListId = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'L' } })
  const scope = { organizationId: 1, timeZone: 'America/New_York', mailingListId }
  const clockOf = (time: string): { clock: number } => ({ clock: Date.parse(time) })
  return {
    ...bench,
    mailingListId,
    add: (time: string, email: string) =>
      bench.run('subscribers.create', { ...scope, subscriber: { email, ...plain } }, clockOf(time)),
    growth: async (time: string) => {
      const organization = { id: 1, timeZone: 'America/New_York' }
      const { days, lists } = await subscriberGrowth(kyselyOver(bench.sqlite), organization, Date.parse(time))
      return { days: days.map(({ day, counts }) => `${day} ${counts.active}`), lists }
    }
  }
}

describe('the growth of lists', () => {
  it('is known of each day from the one before the first change on, in the zone of the organization', async () => {
    const list = await growingList()
    // Still the 1st in New York.
    await list.add('2026-03-02T03:00:00Z', 'a@example.com')
    await list.add('2026-03-02T15:00:00Z', 'b@example.com')
    await list.add('2026-03-02T16:00:00Z', 'c@example.com')
    await list.add('2026-03-05T15:00:00Z', 'd@example.com')
    expect((await list.growth('2026-03-06T15:00:00Z')).days).toEqual([
      '2026-02-28 0',
      '2026-03-01 1',
      '2026-03-02 3',
      '2026-03-03 3',
      '2026-03-04 3',
      '2026-03-05 4',
      '2026-03-06 4'
    ])
  })

  it('is that of active subscribers in the last 7 and 30 days', async () => {
    const list = await growingList()
    await list.add('2026-03-01T15:00:00Z', 'a@example.com')
    await list.add('2026-03-20T15:00:00Z', 'b@example.com')
    await list.add('2026-03-24T15:00:00Z', 'c@example.com')
    await list.add('2026-03-31T15:00:00Z', 'd@example.com')
    expect((await list.growth('2026-03-31T16:00:00Z')).lists).toEqual([
      { mailing_list_id: list.mailingListId, last_7_days: 1, last_30_days: 3 }
    ])
    expect((await list.growth('2026-03-31T03:00:00Z')).lists).toEqual([
      { mailing_list_id: list.mailingListId, last_7_days: 2, last_30_days: 4 }
    ])
  })

  it('goes back 90 days, and counts a change 91 days ago among all before', async () => {
    const list = await growingList()
    await list.add('2026-01-01T15:00:00Z', 'a@example.com')
    const { days } = await list.growth('2026-04-01T15:00:00Z')
    expect([days.length, days[0], days[89]]).toEqual([90, '2026-01-02 1', '2026-04-01 1'])
  })

  it('does not believe days that are yet to come, left by a clock that was ahead', async () => {
    const list = await growingList()
    await list.add('2027-01-01T15:00:00Z', 'a@example.com')
    await list.add('2026-03-01T15:00:00Z', 'b@example.com')
    await list.add('2026-03-01T16:00:00Z', 'c@example.com')
    expect((await list.growth('2026-03-01T17:00:00Z')).days).toEqual(['2026-02-28 1', '2026-03-01 3'])
    await list.add('2027-01-01T15:00:00Z', 'd@example.com')
    const { days } = await list.growth('2027-01-01T16:00:00Z')
    expect(days.slice(-2)).toEqual(['2026-12-31 3', '2027-01-01 4'])
  })

  it('is that of a list that is there: with a deleted one goes what it had', async () => {
    const list = await growingList()
    await list.add('2026-03-01T15:00:00Z', 'a@example.com')
    list.sqlite.exec(`UPDATE mailing_lists SET deleted_at = 1 WHERE id = ${list.mailingListId}`)
    expect(await list.growth('2026-03-01T16:00:00Z')).toEqual({ days: ['2026-03-01 0'], lists: [] })
    while (await list.run('mailingLists.purge', { mailingListId: list.mailingListId }));
    expect(list.sqlite.prepare('SELECT count(*) FROM subscriber_days').pluck().get()).toBe(0)
  })
})

describe('the home page', () => {
  const started = sharedApplication()

  it('shows how the lists have grown, of the organization alone', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    await makeSubscriber(started.api, list.id, 'b@example.com', { status: 'bounced' })
    const gone = await makeList(started.api)
    await makeSubscriber(started.api, gone.id, 'a@example.com')
    await deleteList(started.api, gone.id)
    const { data } = await started.api.workbench<SubscriberGrowth>('GET', '/subscriber_growth')
    expect(data.days.map(({ counts }) => counts)).toEqual([none, { ...none, active: 1, bounced: 1 }])
    expect(data.lists).toEqual([{ mailing_list_id: list.id, last_7_days: 1, last_30_days: 1 }])
  })

  it('shows what cannot be written into a database', async () => {
    const list = await remoteListOn(started.api, await sqliteFile(), { name: 'Customers' })
    const faults = async () =>
      expectSuccess(await started.api.workbench<DatabaseFault[]>('GET', '/database_faults'))
    const writeBack = (is_enabled: boolean) =>
      started.api.put(`/mailing_lists/${list.id}/write_back`, { write_back: { is_enabled } })

    await writeBack(true)
    await until(async () => (await faults()).length > 0)

    expect(await faults()).toMatchObject([
      {
        work: 'write_back',
        mailing_list: { id: list.id, name: 'Customers' },
        fault: { rule: 'database_refuses_table' }
      }
    ])
    const elsewhere = await clientOfUser(started, { organizationId: await makeOrganization(started) })
    expect(await elsewhere.workbench('GET', '/database_faults')).toMatchObject({ data: [] })
    await writeBack(false)
    expect(await faults()).toEqual([])
  })

  it('shows how much space is left on the disk', async () => {
    const { data } = await started.api.workbench<DiskSpace>('GET', '/disk_space')
    expect(data.free).toBeGreaterThan(0)
    expect(data.is_low).toBe(data.free < 1_000_000_000)
  })
})

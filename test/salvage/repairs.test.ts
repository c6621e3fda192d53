import SQLite, { type Database } from 'better-sqlite3'
import { parse } from 'csv-parse/sync'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addFunctions } from '../../src-main/database/functions.ts'
import { countAgain, countedTables } from '../../src-main/salvage/counters.ts'
import { LossList, recordNames } from '../../src-main/salvage/losses.ts'
import { repairReferences } from '../../src-main/salvage/references.ts'
import { stopWhatWasGoingOn } from '../../src-main/salvage/stopped.ts'
import { repairFields } from '../../src-main/salvage/values.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { act, select } from '../support/bulk-actions.ts'
import {
  expectSuccess,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'

/**
 * The database of an ended application with records to refer to.
 * @param add creates more records
 */
async function gaps(add?: (api: Client, listId: number) => Promise<void>) {
  const started = await startApplication()
  const { api } = started
  const list = await makeList(api, { name: 'Readers' })
  const other = await makeList(api, { name: 'Others' })
  const fields = {
    city: await makeField(api, list.id, 'City', 'text'),
    age: await makeField(api, list.id, 'Age', 'number'),
    vip: await makeField(api, list.id, 'Vip', 'boolean'),
    colour: await makeField(api, list.id, 'Colour', 'select_single_dropdown', {
      options: [{ name: 'Red' }, { name: 'Green' }]
    }),
    topics: await makeField(api, list.id, 'Topics', 'select_multiple_checkboxes', {
      options: [{ name: 'News' }, { name: 'Offers' }]
    })
  }
  for (const person of ['a', 'b', 'c']) {
    await makeSubscriber(api, list.id, `${person}@example.com`, {
      custom_fields: { city: 'Wien', age: 7, vip: true, colour: 'Green', topics: ['News', 'Offers'] }
    })
  }
  await makeSubscriber(api, other.id, 'd@example.com')
  const segment = await makeSegment(api, list.id, { other: other.id })
  const campaign = await makeCampaign(api, list.id)
  await add?.(api, list.id)
  await started.app.close()
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
  addFunctions(database)
  database.pragma('foreign_keys = OFF')
  onTestFinished(() => void database.close())
  const lossesPath = join(await temporaryDirectory(), 'losses.csv')
  const losses = new LossList(lossesPath)
  const told = async () => {
    await losses.close()
    const rows: Record<string, string>[] = parse(await readFile(lossesPath), { columns: true, bom: true })
    return rows.map(({ Record, Id, Name, 'What became of it': became }) => [Record, Id, Name, became])
  }
  return { database, list, other, fields, segment, campaign, losses, told }
}

const replaced = 'Lost; replaced with an empty one, because other records depend on it'
const removed = 'Readable, but removed because what it belongs to is lost'

function faultsOf(database: Database): unknown[] {
  return database.pragma('foreign_key_check') as unknown[]
}

test('a lost record that others belong to is replaced by a placeholder whose name says so', async () => {
  const { database, list, other, losses, told } = await gaps()
  database.exec('DELETE FROM organizations; DELETE FROM mailing_lists; DELETE FROM users')
  expect(faultsOf(database)).not.toEqual([])
  repairReferences(database, losses, ['organizations', 'mailing_lists'])
  repairReferences(database, losses)
  expect(faultsOf(database)).toEqual([])
  expect(database.prepare('SELECT id, name FROM organizations').all()).toEqual([
    { id: 1, name: 'System Organization' }
  ])
  expect(database.prepare('SELECT id, name FROM mailing_lists ORDER BY id').all()).toEqual([
    { id: list.id, name: `Recovered list ${list.id}` },
    { id: other.id, name: `Recovered list ${other.id}` }
  ])
  expect(database.prepare('SELECT count(*) FROM subscribers').pluck().get()).toBe(4)
  const rows = await told()
  expect(rows).toContainEqual(['Organization', '1', '', replaced])
  expect(rows).toContainEqual(['List', String(list.id), '', replaced])
})

test('an organization that is not the first is called recovered', async () => {
  const { database, losses } = await gaps()
  database.exec('UPDATE mailing_lists SET organization_id = 7')
  repairReferences(database, losses, ['organizations', 'mailing_lists'])
  expect(database.prepare('SELECT name FROM organizations WHERE id = 7').pluck().get()).toBe(
    'Recovered organization 7'
  )
  expect(losses.counts).toMatchObject({ replaced: 1, removed: 0 })
})

test('a lost segment selects no subscriber instead of all', async () => {
  const { database, losses, campaign } = await gaps()
  const id = database.prepare('SELECT segment_id FROM campaigns WHERE id = ?').pluck().get(campaign.id)
  expect(id).not.toBeNull()
  database.prepare('DELETE FROM segments WHERE id = ?').run(id)
  repairReferences(database, losses)
  expect(database.prepare('SELECT name, clause FROM segments WHERE id = ?').get(id)).toEqual({
    name: `Recovered segment ${String(id)}`,
    clause: '[{"type":"status","operator":"is one of","statuses":[]}]'
  })
  expect(faultsOf(database)).toEqual([])
})

test('records that work without what was lost stay, others are deleted with it and listed', async () => {
  const { database, losses, campaign, told } = await gaps()
  const contents = database.prepare('SELECT count(*) FROM campaign_contents').pluck().get()
  expect(contents).toBe(1)
  // What belongs to what is removed is removed as well.
  database.prepare('INSERT INTO stats (campaign_id, keeps_recipients) VALUES (?, 1)').run(campaign.id)
  database.exec('INSERT INTO stat_slices (stat_id) SELECT id FROM stats')
  database.exec(
    `INSERT INTO stat_links (stat_slice_id, url) SELECT id, 'https://example.com' FROM stat_slices`
  )
  database.prepare('DELETE FROM campaigns WHERE id = ?').run(campaign.id)
  repairReferences(database, losses)
  expect(database.prepare('SELECT count(*) FROM stat_links').pluck().get()).toBe(0)
  expect(faultsOf(database)).toEqual([])
  expect(database.prepare('SELECT count(*) FROM campaign_contents').pluck().get()).toBe(0)
  const rows = await told()
  for (const record of ['Campaign message', 'Campaign statistics', 'Campaign link', 'Delivery settings']) {
    expect(rows).toContainEqual([record, '', '', removed])
  }
})

test('fields and options that are lost are given back to the values that people have', async () => {
  const { database, losses, fields, list, told } = await gaps()
  database.exec(
    `DELETE FROM custom_fields; DELETE FROM custom_field_options WHERE name IN ('Green', 'Offers')`
  )
  repairFields(database, losses)
  const found = database.prepare(
    'SELECT name, field_type, mailing_list_id AS list FROM custom_fields ORDER BY id'
  )
  expect(found.all()).toEqual([
    { name: `Recovered field ${fields.city.id}`, field_type: 'text_multiline', list: list.id },
    { name: `Recovered field ${fields.age.id}`, field_type: 'number', list: list.id },
    { name: `Recovered field ${fields.vip.id}`, field_type: 'boolean', list: list.id },
    { name: `Recovered field ${fields.colour.id}`, field_type: 'select_single_dropdown', list: list.id },
    { name: `Recovered field ${fields.topics.id}`, field_type: 'select_multiple_checkboxes', list: list.id }
  ])
  const options = database.prepare('SELECT name FROM custom_field_options ORDER BY id').pluck().all()
  expect(options).toEqual([
    'Red',
    expect.stringMatching(/^Recovered option \d+$/),
    'News',
    expect.stringMatching(/^Recovered option \d+$/)
  ])
  const rows = await told()
  expect(rows.filter(([record]) => record === 'Custom field')).toHaveLength(5)
  expect(rows.filter(([record]) => record === 'Custom field option')).toHaveLength(2)
  expect(rows.every(([, , , became]) => became === replaced)).toBe(true)
})

test('values that are no longer JSON are cleared, and their subscribers listed', async () => {
  const { database, losses, told } = await gaps()
  database.exec(`UPDATE subscribers SET custom_fields = '{"1":' WHERE email = 'a@example.com';
    UPDATE subscribers SET custom_fields = '[1]' WHERE email = 'b@example.com';
    UPDATE subscribers SET custom_fields = '{"99999999999999999999":"x","0":"y"}' WHERE email = 'c@example.com'`)
  repairFields(database, losses)
  const values = database.prepare('SELECT custom_fields FROM subscribers ORDER BY email').pluck().all()
  expect(values.slice(0, 2)).toEqual(['{}', '{}'])
  const doubtful = 'Kept, but its part of the file was changed: please check it'
  expect((await told()).map(([record, , name, became]) => [record, name, became])).toEqual([
    ['Subscriber', 'a@example.com', doubtful],
    ['Subscriber', 'b@example.com', doubtful]
  ])
})

test('lost records are listed by names of existing tables', async () => {
  const { database } = await gaps()
  const tables = database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all()
  expect(Object.keys(recordNames).filter((name) => !tables.includes(name))).toEqual([])
})

test('a field with values of several lists becomes global, and is listed once', async () => {
  const { database, losses, fields, other } = await gaps()
  database.exec('DELETE FROM custom_fields')
  database
    .prepare('UPDATE subscribers SET custom_fields = ? WHERE mailing_list_id = ?')
    .run(JSON.stringify({ [fields.city.id]: 'Graz', [fields.age.id]: 1.5 }), other.id)
  repairFields(database, losses)
  const listOf = database.prepare('SELECT mailing_list_id FROM custom_fields WHERE id = ?').pluck()
  expect(listOf.get(fields.city.id)).toBeNull()
  // Its values are of two kinds, and it has one type.
  expect(losses.counts.replaced).toBe(5)
})

test('jobs and syncs that would continue by themselves are stopped and listed', async () => {
  const { database, losses, campaign, told } = await gaps()
  database
    .prepare(`UPDATE dispatches SET state = 'sending', paused = 0 WHERE campaign_id = ?`)
    .run(campaign.id)
  stopWhatWasGoingOn(database, losses)
  expect(
    database.prepare('SELECT paused FROM dispatches WHERE campaign_id = ?').pluck().get(campaign.id)
  ).toBe(1)
  const name = database.prepare('SELECT name FROM campaigns WHERE id = ?').pluck().get(campaign.id)
  expect(await told()).toEqual([
    [
      'Campaign or template',
      String(campaign.id),
      String(name),
      'Was running and has been stopped: start it again if you need it'
    ]
  ])
})

test('counts of statistics become what the events tell, in the last of their hours', async () => {
  const { database, campaign } = await gaps()
  const hour = 3_600_000
  const insert = (table: string, row: Record<string, unknown>): number => {
    const keys = Object.keys(row)
    const statement = database.prepare(
      `INSERT INTO ${table} (${keys.join(', ')}) VALUES (${keys.map((key) => `@${key}`).join(', ')})`
    )
    return Number(statement.run(row).lastInsertRowid)
  }
  const content = database.prepare('SELECT id FROM campaign_contents').pluck().get()
  const stat = insert('stats', { campaign_id: campaign.id, keeps_recipients: 1 })
  const slice = insert('stat_slices', { stat_id: stat, content_id: content })
  const open = (subscriber: number, at: number): number =>
    insert('stat_events', {
      stat_slice_id: slice,
      type: 'open',
      subscriber_id: subscriber,
      email: `${subscriber}@example.com`,
      occurred_at: at,
      is_unique: 1
    })
  const counters = () =>
    database
      .prepare(
        'SELECT hour / 3600000 AS hour, opens_unique AS opens FROM stat_counters WHERE opens_unique > 0 ORDER BY hour'
      )
      .all()
  // Counts of subscribers are not copied from what is damaged.
  const recount = async (): Promise<void> => {
    for (const table of countedTables) database.exec(`DELETE FROM ${table}`)
    await countAgain(database, new Map([['campaigns', 900]]))
  }
  // Too few: none was counted.
  for (const [index, at] of [10 * hour + 5, 11 * hour + 5, 11 * hour + 6].entries()) open(index + 1, at)
  await recount()
  expect(counters()).toEqual([{ hour: 10, opens: 3 }])
  // One more is counted in the last of the hours that there are.
  insert('stat_counters', { stat_slice_id: slice, hour: 12 * hour, clicks_unique: 0 })
  open(4, 11 * hour)
  await recount()
  expect(counters()).toEqual([
    { hour: 10, opens: 3 },
    { hour: 12, opens: 1 }
  ])
  // Too many: those of the last hours are taken back.
  insert('stat_counters', { stat_slice_id: slice, hour: 13 * hour, opens_unique: 1 })
  database.exec('DELETE FROM stat_events WHERE subscriber_id > 2')
  await recount()
  expect(counters()).toEqual([{ hour: 10, opens: 2 }])
  const next = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'campaigns'").pluck()
  expect(next.get()).toBe(900)
})

test('whichever table is lost, what is left refers to nothing that is missing', async () => {
  const { database } = await gaps(async (api, listId) => {
    const autoresponder = await makeAutoresponder(api, listId, 'Hello')
    expectSuccess(
      await api.post(`/mailing_lists/${listId}/subscribers/a@example.com/trigger_autoresponders`, {
        autoresponder_ids: [autoresponder.id]
      })
    )
    const suppression = expectSuccess(
      await api.post<{ id: number }>('/suppression_lists', { suppression_list: { name: 'Never' } })
    )
    expectSuccess(
      await api.post(`/suppression_lists/${suppression.id}/suppressed_addresses/create_multiple`, {
        data: ['never@example.com']
      })
    )
    await importText(api, listId, 'email\nimported@example.com\n', { column_mapping: ['email'] })
    await act(api, await select(api, listId), { kind: 'set_status', status: 'bounced' })
    const { id } = await makeCampaign(api, listId, {
      dispatch_attributes: { from_email: 'sender@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await api.sent(id)
  })
  const parents = database
    .prepare<[], string>(
      `SELECT DISTINCT "table" FROM pragma_table_list AS tables, pragma_foreign_key_list(tables.name)
       WHERE tables.schema = 'main' ORDER BY 1`
    )
    .pluck()
    .all()
  expect(parents.length).toBeGreaterThan(15)
  for (const parent of parents) {
    database.exec(`BEGIN; DELETE FROM "${parent}"`)
    const losses = new LossList(join(await temporaryDirectory(), 'losses.csv'))
    repairReferences(database, losses, ['organizations', 'mailing_lists'])
    repairFields(database, losses)
    repairReferences(database, losses)
    expect(faultsOf(database), `without ${parent}`).toEqual([])
    await losses.close()
    database.exec('ROLLBACK')
  }
})

import { describe, expect, it } from 'vitest'
import type { CommandInput } from '../../src-main/database/command.ts'
import { begunCampaign, fromNoTemplate } from '../support/campaigns.ts'
import { commandBench } from '../support/commands.ts'

type Changes = CommandInput<'campaigns.create'>['campaign']
type Source = CommandInput<'campaigns.create'>['source']

const onBoth = (mailing_list_id: number) => [
  { type: 'in_mailing_list' as const, operator: 'is in' as const, mailing_list_id }
]
const content = (subject: string) => ({ subject, text: 'x', format: 'text' as const })
const hour = 3_600_000

async function drafting() {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const list = (name: string) => bench.run('mailingLists.create', { organizationId: 1, list: { name } })
  const lists = [await list('Readers'), await list('Writers')] as const
  const scope = { organizationId: 1, timeZone: 'UTC' }
  return {
    bench,
    lists,
    create: (
      campaign: Changes,
      {
        kind = 'campaign',
        mailingListId = lists[0],
        source = fromNoTemplate
      }: {
        kind?: 'campaign' | 'template'
        mailingListId?: number
        source?: Source
      } = {}
    ) => bench.run('campaigns.create', { ...scope, kind, mailingListId, source, campaign }),
    update: (id: number, changes: Changes, clock?: number) =>
      bench.run(
        'campaigns.update',
        { ...scope, kind: 'campaign', id, changes },
        clock === undefined ? {} : { clock }
      ),
    segment: (mailingListId: number, name: string) =>
      bench.run('segments.create', {
        organizationId: 1,
        mailingListId,
        segment: { name, clause: onBoth(mailingListId) },
        grammar: 'api'
      }),
    one: (sql: string, ...values: unknown[]) => bench.sqlite.prepare(sql).get(...values),
    all: (sql: string, ...values: unknown[]) =>
      bench.sqlite
        .prepare(sql)
        .pluck()
        .all(...values)
  }
}

const contentsOf = 'SELECT subject FROM campaign_contents WHERE campaign_id = ? ORDER BY id'
const segmentOf = 'SELECT segment_id FROM campaigns WHERE id = ?'

describe('a campaign that is scheduled', () => {
  const whole = {
    name: 'News',
    contents: [content('Hello')],
    segmentation_criteria_ad_hoc: [],
    dispatch_attributes: { from_email: 'news@example.com' }
  }

  it('cannot be changed without a new time if it missed its time by more than two hours', async () => {
    const { create, update, one } = await drafting()
    const begins = Math.floor(Date.now() / 1000) + 60
    const id = await create({
      ...whole,
      dispatch_attributes: { ...whole.dispatch_attributes, begins_at: begins }
    })
    expect(one('SELECT state FROM dispatches')).toEqual({ state: 'scheduled' })
    await update(id, { name: 'Later' }, begins * 1000 + 2 * hour)
    await expect(update(id, { name: 'Too late' }, begins * 1000 + 2 * hour + 1)).rejects.toThrow(
      'dispatch_attributes.begins_at is more than 2 hours in the past: give another one'
    )
    await update(
      id,
      { name: 'Again', dispatch_attributes: { begins_at: begins + 10_000 } },
      begins * 1000 + 2 * hour + 1
    )
    expect(one('SELECT name FROM campaigns')).toEqual({ name: 'Again' })
  })

  it('has recipients, content and a time; without any one of these it is idle', async () => {
    const { create, update, one } = await drafting()
    const begins = Math.floor(Date.now() / 1000) + 60
    const id = await create({ name: 'News' })
    const state = () => one('SELECT state FROM dispatches')
    await update(id, { dispatch_attributes: { begins_at: begins } })
    expect(state()).toEqual({ state: 'idle' })
    await update(id, { segmentation_criteria_ad_hoc: [] })
    expect(state()).toEqual({ state: 'idle' })
    await expect(update(id, { contents: whole.contents })).rejects.toThrow(
      'dispatch_attributes.from_email cannot be blank'
    )
    await update(id, { contents: whole.contents, dispatch_attributes: whole.dispatch_attributes })
    expect(state()).toEqual({ state: 'scheduled' })
    await update(id, { dispatch_attributes: { begins_at: null } })
    expect(state()).toEqual({ state: 'idle' })
  })
})

describe('a campaign', () => {
  it('without delivery settings can be cancelled once', async () => {
    const { bench, create, one } = await drafting()
    const id = await create({ name: 'News' })
    expect(one('SELECT state FROM dispatches')).toBeUndefined()
    await bench.run('campaigns.cancel', { organizationId: 1, id })
    expect(one('SELECT state, finished_at IS NOT NULL AS ended FROM dispatches')).toEqual({
      state: 'cancelled',
      ended: 1
    })
    await expect(bench.run('campaigns.cancel', { organizationId: 1, id })).rejects.toThrow(
      'a campaign that is cancelled cannot be cancelled'
    )
  })

  it('has a name, without the spaces around it', async () => {
    const { create, update, one } = await drafting()
    const id = await create({ name: '  News ' })
    expect(one('SELECT name FROM campaigns')).toEqual({ name: 'News' })
    await expect(update(id, { name: ' ' })).rejects.toThrow('name cannot be blank')
    await expect(create({})).rejects.toThrow('name cannot be blank')
  })

  it('has the contents of the last update; contents with an id keep what the update leaves out', async () => {
    const { create, update, all, one } = await drafting()
    const id = await create({ name: 'News', contents: ['A', 'B', 'C'].map(content) })
    const [first = 0, second = 0] = all('SELECT id FROM campaign_contents ORDER BY id') as number[]
    await update(id, { name: 'Same contents' })
    expect(all(contentsOf, id)).toEqual(['A', 'B', 'C'])
    await update(id, { contents: [{ id: second, subject: 'B2' }, content('D')] })
    expect(all(contentsOf, id)).toEqual(['B2', 'D'])
    expect(one('SELECT text FROM campaign_contents WHERE id = ?', second)).toEqual({ text: 'x' })
    await expect(update(id, { contents: [content('E'), { id: first }] })).rejects.toThrow(
      `contents.1.id ${first} is no content of this campaign`
    )
  })

  it('can have only one kind of recipients, and only of its own list', async () => {
    const { create, update, segment, lists, all } = await drafting()
    const stored = await segment(lists[0], 'Active')
    const ofOther = await segment(lists[1], 'Active')
    const id = await create({ name: 'News', segmentation_criteria_id: stored })
    expect(all(segmentOf, id)).toEqual([stored])
    await expect(
      update(id, { segmentation_criteria_id: stored, segmentation_criteria_ad_hoc: [] })
    ).rejects.toThrow(
      'only one of segmentation_criteria_id, segmentation_criteria_ad_hoc and segmentation_criteria_remote_sql can be given'
    )
    await expect(update(id, { segmentation_criteria_id: ofOther })).rejects.toThrow(
      `segmentation_criteria_id ${ofOther} is no segment of this list`
    )
    await expect(update(id, { segmentation_criteria_remote_sql: 'SELECT 1' })).rejects.toThrow(
      'segmentation_criteria_remote_sql belongs to campaigns of Remote Lists only'
    )
    await update(id, { segmentation_criteria_remote_sql: null })
    expect(all(segmentOf, id)).toEqual([stored])
    await update(id, { segmentation_criteria_id: null })
    expect(all(segmentOf, id)).toEqual([null])
    expect(all('SELECT id FROM segments ORDER BY id')).toEqual([stored, ofOther])
  })

  it('has its own ad hoc segment, which is deleted when other recipients are chosen', async () => {
    const { create, update, segment, lists, all } = await drafting()
    const id = await create({ name: 'News', segmentation_criteria_ad_hoc: onBoth(lists[1]) })
    const [adHoc] = all(segmentOf, id)
    await update(id, { name: 'The same' })
    expect(all(segmentOf, id)).toEqual([adHoc])
    await update(id, { segmentation_criteria_ad_hoc: [] })
    const [next] = all(segmentOf, id)
    expect(next).not.toBe(adHoc)
    expect(all('SELECT id FROM segments')).toEqual([next])
    const stored = await segment(lists[0], 'Active')
    await update(id, { segmentation_criteria_id: stored })
    expect(all('SELECT id FROM segments')).toEqual([stored])
  })

  it('that was never sent is deleted completely', async () => {
    const { bench, create, all } = await drafting()
    const id = await create({
      name: 'News',
      contents: [content('Hello')],
      segmentation_criteria_ad_hoc: [],
      dispatch_attributes: {}
    })
    await bench.run('campaigns.delete', { organizationId: 1, id, kind: 'campaign' })
    for (const table of ['campaigns', 'campaign_contents', 'dispatches', 'segments']) {
      expect(all(`SELECT count(*) FROM ${table}`), table).toEqual([0])
    }
  })
})

describe('the seed lists of a campaign', () => {
  async function withSeedLists() {
    const all = await drafting()
    const seedList = async (name: string) => {
      const input = { organizationId: 1, seedList: { name, addresses_array: ['s@example.com'] } }
      return (await all.bench.run('seedLists.create', input)).id
    }
    const ids = [await seedList('First'), await seedList('Second')] as const
    const id = await all.create({ name: 'News', dispatch_attributes: { seed_list_ids: [ids[0]] } })
    return {
      ids,
      set: (dispatch: NonNullable<Changes['dispatch_attributes']>) =>
        all.update(id, { dispatch_attributes: dispatch }),
      kept: () => all.all('SELECT seed_list_id FROM dispatch_seed_lists ORDER BY seed_list_id')
    }
  }

  it('uses the seed lists of the last request, whichever input names them', async () => {
    const { ids, set, kept } = await withSeedLists()
    expect(kept()).toEqual([ids[0]])
    await set({ speed: 5 })
    expect(kept()).toEqual([ids[0]])
    await set({ seed_list_id: ids[1] })
    expect(kept()).toEqual([ids[1]])
    await set({ seed_list_names: ['first', 'Second'] })
    expect(kept()).toEqual([...ids])
    await set({ seed_list_name: 'Second' })
    expect(kept()).toEqual([ids[1]])
    await set({ seed_list_ids: [] })
    expect(kept()).toEqual([])
  })

  it('are cleared by null, which is ignored beside another input', async () => {
    const { ids, set, kept } = await withSeedLists()
    await set({ seed_list_id: null, seed_list_ids: [ids[1]] })
    expect(kept()).toEqual([ids[1]])
    await set({ seed_list_id: null })
    expect(kept()).toEqual([])
  })

  it('are named by one input only, and must exist', async () => {
    const { ids, set } = await withSeedLists()
    await expect(set({ seed_list_id: ids[0], seed_list_name: 'First' })).rejects.toThrow(
      'dispatch_attributes: only one of seed_list_id, seed_list_name, seed_list_ids, seed_list_names can be given'
    )
    await expect(set({ seed_list_ids: [99] })).rejects.toThrow(/^dispatch_attributes\.seed_list_ids: .*99/)
  })
})

describe('a campaign that is made from a template', () => {
  const template = (listId: number) => ({
    name: 'Template',
    contents: [content('Hello')],
    segmentation_criteria_ad_hoc: onBoth(listId),
    dispatch_attributes: { from_email: 'news@example.com', speed: 7 }
  })

  it("always takes the template's name, and other parts only on request", async () => {
    const { create, lists, all, one } = await drafting()
    const templateId = await create(template(lists[1]), { kind: 'template' })
    const made = (parts: Partial<Source>) =>
      create({}, { source: { ...fromNoTemplate, source_template_id: templateId, ...parts } })
    const bare = await made({})
    expect(one('SELECT name, segment_id FROM campaigns WHERE id = ?', bare)).toEqual({
      name: 'Template',
      segment_id: null
    })
    expect(all(contentsOf, bare)).toEqual([])
    expect(all('SELECT speed FROM dispatches WHERE campaign_id = ?', bare)).toEqual([])
    const whole = await made({
      duplicate_content: true,
      duplicate_dispatch: true,
      duplicate_segmentation_criteria: true
    })
    expect(all(contentsOf, whole)).toEqual(['Hello'])
    expect(all(contentsOf, templateId)).toEqual(['Hello'])
    expect(one('SELECT speed, begins_at, state FROM dispatches WHERE campaign_id = ?', whole)).toEqual({
      speed: 7,
      begins_at: null,
      state: 'idle'
    })
    // An ad hoc segment belongs to one campaign.
    const clauses = all('SELECT clause FROM segments')
    expect(clauses).toHaveLength(2)
    expect(new Set(clauses).size).toBe(1)
  })

  it('of another list cannot take over its segment', async () => {
    const { create, lists } = await drafting()
    const templateId = await create(template(lists[1]), { kind: 'template' })
    const made = (duplicate: boolean) =>
      create(
        {},
        {
          mailingListId: lists[1],
          source: {
            ...fromNoTemplate,
            source_template_id: templateId,
            duplicate_segmentation_criteria: duplicate
          }
        }
      )
    await expect(made(true)).rejects.toThrow(
      `duplicate_segmentation_criteria: template ${templateId} belongs to another list, so its segment cannot be copied`
    )
    await expect(made(false)).resolves.toEqual(expect.any(Number))
  })
})

describe('a campaign that has begun', () => {
  it('can only be renamed', async () => {
    const { bench, id, row } = await begunCampaign()
    const update = (changes: Changes) =>
      bench.run('campaigns.update', { organizationId: 1, timeZone: 'UTC', kind: 'campaign', id, changes })
    await update({ name: 'Renamed' })
    expect(row('SELECT name FROM campaigns')).toEqual({ name: 'Renamed' })
    expect(row('SELECT state FROM dispatches')).toEqual({ state: 'sending' })
    await expect(update({ name: 'Again', contents: [] })).rejects.toThrow(
      'a campaign that is sending cannot be changed, except for its name'
    )
  })

  it('is copied as a campaign that has not begun, with an ad hoc segment of its own', async () => {
    const { bench, id, row } = await begunCampaign()
    const copy = await bench.run('campaigns.duplicate', { organizationId: 1, id, name: 'Copy' })
    expect(
      row(`SELECT name, state, begins_at, paused, (SELECT count(*) FROM segments) AS segments,
        (SELECT count(*) FROM campaign_contents) AS contents
        FROM campaigns JOIN dispatches ON campaign_id = campaigns.id WHERE campaigns.id = ${copy}`)
    ).toEqual({ name: 'Copy', state: 'idle', begins_at: null, paused: 0, segments: 2, contents: 2 })
  })

  it('can be deleted only after sending; data about its recipients is removed in steps', async () => {
    const { bench, id, plan, row } = await begunCampaign()
    const remove = () => bench.run('campaigns.delete', { organizationId: 1, id, kind: 'campaign' })
    await expect(remove()).rejects.toThrow('a campaign that is sending cannot be deleted: cancel it first')
    await bench.run('campaigns.cancel', { organizationId: 1, id })
    const sliceId = plan?.message.contents[0]?.sliceId
    const event = bench.sqlite.prepare(
      `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, occurred_at)
       VALUES (?, 'open', ?, 'a@example.com', 1, 0)`
    )
    const recipient = bench.sqlite.prepare('INSERT INTO stat_recipients VALUES (?, ?, 0)')
    bench.sqlite.transaction(() => {
      for (let person = 1; person <= 501; person++) {
        event.run(sliceId, person)
        recipient.run(sliceId, person)
      }
    })()
    expect(await remove()).toEqual({ id, name: 'News' })
    expect(row('SELECT deleted_at IS NOT NULL AS deleted, segment_id, purged_at FROM campaigns')).toEqual({
      deleted: 1,
      segment_id: null,
      purged_at: null
    })
    expect(row('SELECT count(*) AS count FROM segments')).toEqual({ count: 0 })
    const left = () =>
      row(`SELECT (SELECT count(*) FROM stat_events) AS events, (SELECT count(*) FROM stat_recipients) AS recipients,
        purged_at IS NOT NULL AS purged FROM campaigns`)
    expect(await bench.run('campaigns.purge', { id })).toBe(true)
    expect(left()).toEqual({ events: 1, recipients: 501, purged: 0 })
    expect(await bench.run('campaigns.purge', { id })).toBe(true)
    expect(left()).toEqual({ events: 0, recipients: 1, purged: 0 })
    expect(await bench.run('campaigns.purge', { id })).toBe(false)
    expect(left()).toEqual({ events: 0, recipients: 0, purged: 1 })
  })
})

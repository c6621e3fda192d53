import { refusal } from '../../src-main/base/refusal.ts'
import { storeRefusal } from '../../src-main/base/stored-refusal.ts'
import { describe, expect, it } from 'vitest'
import type { BulkActionInput } from '../../src-main/api/bulk-actions/schema.ts'
import type { SubscriberStatus } from '../../src-main/api/subscribers/schema.ts'
import { addPerson, beginAction } from '../support/bulk-steps.ts'
import { commandBench } from '../support/commands.ts'

type Action = Pick<BulkActionInput, 'kind'> & Partial<BulkActionInput>

async function withPeople(
  names: readonly string[] = ['a', 'b', 'c'],
  statuses: readonly SubscriberStatus[] = []
) {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  const list = (name: string, more = {}) =>
    bench.run('mailingLists.create', { organizationId: 1, list: { name, ...more } })
  const from = await list('Readers', { has_format: true, has_confirmed: true })
  const to = await list('Writers')
  const ids: number[] = []
  for (const [index, name] of names.entries()) {
    const more = { confirmed: true, email_format: 'plaintext', status: statuses[index] ?? 'active' } as const
    ids.push(await addPerson(bench, from, `${name}@example.com`, more))
  }
  const one = (sql: string, ...values: unknown[]) => bench.sqlite.prepare(sql).get(...values)
  const all = (sql: string, ...values: unknown[]) =>
    bench.sqlite
      .prepare(sql)
      .raw()
      .all(...values) as (string | number | null)[][]
  return {
    bench,
    from,
    to,
    ids,
    one,
    all,
    field: (name: string, more: object = {}) =>
      bench.run('customFields.create', {
        organizationId: 1,
        mailingListId: from,
        field: { name, field_type: 'text', ...more }
      }),
    begin: (action: Action, some: readonly number[] = ids) => beginAction(bench, from, some, action),
    done: async (id: number) => {
      while (await bench.run('bulkActions.continue', { id }));
      return one(
        `SELECT state, error_message, done, changed, same, kept, restored, not_restored, finished_at, selection_id
         FROM bulk_actions WHERE id = ?`,
        id
      )
    },
    undo: (id: number) => bench.run('bulkActions.undo', { organizationId: 1, id }),
    kept: (id: number, isUndo = 0) =>
      all(
        'SELECT email, reason, detail FROM bulk_action_kept WHERE bulk_action_id = ? AND is_undo = ? ORDER BY subscriber_id',
        id,
        isUndo
      )
  }
}

const emails = 'SELECT email, status FROM subscribers WHERE mailing_list_id = ? ORDER BY id'

describe('a bulk action', () => {
  it('stores when it ended and drops its selection; a failed undo keeps that time', async () => {
    const { bench, begin, done, undo } = await withPeople()
    const id = await begin({ kind: 'set_status', status: 'bounced' })
    const ended = await done(id)
    expect(ended).toMatchObject({
      state: 'finished',
      error_message: null,
      changed: 3,
      selection_id: null,
      finished_at: expect.any(Number) as number
    })
    await undo(id)
    await bench.run('bulkActions.fail', { id, fault: refusal('said', { text: 'broken' }) })
    const error_message = storeRefusal(refusal('said', { text: 'broken' }))
    expect(await done(id)).toEqual({ ...(ended as object), state: 'failed', error_message })
    // It can be tried again, and the failure is no longer mentioned.
    await undo(id)
    expect(await done(id)).toMatchObject({
      state: 'undone',
      error_message: null,
      restored: 3,
      not_restored: 0
    })
    await bench.run('bulkActions.fail', { id, fault: refusal('said', { text: 'too late' }) })
    expect(await done(id)).toMatchObject({ state: 'undone', error_message: null })
  })

  it('that cannot be undone says why', async () => {
    const { bench, from, begin, done, undo } = await withPeople()
    const id = await begin({ kind: 'set_status', status: 'bounced' })
    await expect(undo(id)).rejects.toThrow('a bulk action that is running cannot be undone; cancel it first')
    await done(id)
    const again = await begin({ kind: 'set_status', status: 'bounced' })
    await done(again)
    await expect(undo(again)).rejects.toThrow('this bulk action changed nobody, so there is nothing to undo')
    await undo(id)
    await expect(undo(id)).rejects.toThrow('this bulk action is already being undone')
    await done(id)
    await expect(undo(id)).rejects.toThrow('this bulk action was already undone')
    await bench.run('bulkActions.forget', { id })
    await expect(undo(id)).rejects.toThrow(
      'a bulk action can be undone for 7 days, and this one ended longer ago'
    )
    await expect(bench.run('bulkActions.cancel', { organizationId: 1, id })).rejects.toThrow(
      'a bulk action that is undone cannot be cancelled'
    )
    bench.sqlite.prepare('UPDATE mailing_lists SET deleted_at = 1 WHERE id = ?').run(from)
    await expect(undo(again)).rejects.toThrow(`mailing list ${from} was not found`)
  })

  it.each(['set_status', 'copy', 'move', 'delete'] as const)(
    'is refused while a list that it reads or writes changes its primary key: %s',
    async (kind) => {
      const { bench, from, to, begin } = await withPeople()
      const action = {
        kind,
        ...(kind === 'set_status' ? { status: 'bounced' as const } : { mailing_list_id: to })
      }
      const rekey = bench.sqlite.prepare("INSERT INTO list_rekeys VALUES (?, NULL, 'collecting', 0)")
      const refusal = 'the list is changing its primary key; try again when that is done'
      rekey.run(from)
      await expect(begin(action)).rejects.toThrow(refusal)
      bench.sqlite.exec('DELETE FROM list_rekeys')
      rekey.run(to)
      if (kind === 'copy' || kind === 'move') await expect(begin(action)).rejects.toThrow(refusal)
      else await expect(begin(action)).resolves.toEqual(expect.any(Number))
    }
  )
})

describe('setting a status', () => {
  it('counts subscribers that have it already, and skips those who declined unless requested', async () => {
    const statuses = ['active', 'unsubscribed', 'scomp', 'bounced'] as const
    const { from, begin, done, kept, all } = await withPeople(['a', 'b', 'c', 'd'], statuses)
    const id = await begin({ kind: 'set_status', status: 'active' })
    expect(await done(id)).toMatchObject({ done: 4, changed: 1, same: 1, kept: 2 })
    expect(kept(id)).toEqual([
      ['b@example.com', 'declined', null],
      ['c@example.com', 'declined', null]
    ])
    expect(all(emails, from).map(([, status]) => status)).toEqual([
      'active',
      'unsubscribed',
      'scomp',
      'active'
    ])
    const revived = await begin({ kind: 'set_status', status: 'active', revives: true })
    expect(await done(revived)).toMatchObject({ done: 4, changed: 2, same: 2, kept: 0 })
    // Statuses other than active may be given to those who declined.
    expect(await done(await begin({ kind: 'set_status', status: 'bounced' }))).toMatchObject({
      changed: 4,
      kept: 0
    })
  })

  it('changes the counts of each status, and its undo restores updated_at too', async () => {
    const { bench, ids, begin, done, undo, all } = await withPeople(['a', 'b', 'c'], ['bounced'])
    bench.sqlite.prepare('UPDATE subscribers SET updated_at = 7 WHERE id = ?').run(ids[0])
    const counts = () =>
      all('SELECT status, subscribers FROM mailing_list_counts WHERE subscribers > 0 ORDER BY status')
    const id = await begin({ kind: 'set_status', status: 'deactivated' })
    await done(id)
    expect(counts()).toEqual([['deactivated', 3]])
    await undo(id)
    await done(id)
    expect(counts()).toEqual([
      ['active', 2],
      ['bounced', 1]
    ])
    expect(all('SELECT updated_at FROM subscribers WHERE id = ?', ids[0])).toEqual([[7]])
  })
})

describe('copying and moving', () => {
  it.each(['copy', 'move'] as const)(
    'drop values that the other list does not store, and undoing them restores everything: %s',
    async (kind) => {
      const { from, to, begin, done, undo, all } = await withPeople()
      const shape =
        'SELECT email, confirmed, email_format FROM subscribers WHERE mailing_list_id = ? ORDER BY id'
      const before = all(shape, from)
      expect(before[0]).toEqual(['a@example.com', 1, 'plaintext'])
      const id = await begin({ kind, mailing_list_id: to })
      expect(await done(id)).toMatchObject({ changed: 3 })
      expect(all(shape, to)).toEqual(before.map(([email]) => [email, null, null]))
      expect(all(shape, from)).toEqual(kind === 'copy' ? before : [])
      await undo(id)
      expect(await done(id)).toMatchObject({ restored: 3 })
      expect(all(shape, to)).toEqual([])
      expect(all(shape, from)).toEqual(before)
    }
  )

  it.each([
    [{ has_format: true }, [null, 'plaintext']],
    [{ has_confirmed: true }, [1, null]]
  ] as const)('keep values that the other list stores: %j', async (columns, expected) => {
    const { bench, begin, done, all } = await withPeople(['a'])
    const other = await bench.run('mailingLists.create', {
      organizationId: 1,
      list: { name: 'Third', ...columns }
    })
    await done(await begin({ kind: 'copy', mailing_list_id: other }))
    expect(all('SELECT confirmed, email_format FROM subscribers WHERE mailing_list_id = ?', other)).toEqual([
      [...expected]
    ])
  })

  it('stop at the limit: only as many copies are made as the list has room for', async () => {
    const { bench, to, begin, done, kept, all } = await withPeople()
    bench.sqlite.exec('UPDATE organizations SET subscriber_limit = 5')
    const id = await begin({ kind: 'copy', mailing_list_id: to })
    expect(await done(id)).toMatchObject({ changed: 2, kept: 1 })
    expect(kept(id)).toEqual([['c@example.com', 'limit', null]])
    expect(all(emails, to)).toHaveLength(2)
  })
})

it('a subscriber that was moved on to a third list stays there, even if the list in between was deleted', async () => {
  const { bench, to, ids, begin, done, undo, kept, all } = await withPeople()
  const third = await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'Third' } })
  const first = await begin({ kind: 'move', mailing_list_id: to })
  await done(first)
  await done(await beginAction(bench, to, ids.slice(0, 1), { kind: 'move', mailing_list_id: third }))
  bench.sqlite.prepare('UPDATE mailing_lists SET deleted_at = 1 WHERE id = ?').run(to)
  await undo(first)
  await done(first)
  expect(all(emails, third)).toEqual([['a@example.com', 'active']])
  expect(kept(first, 1)).toEqual([['a@example.com', 'changed', null]])
})

describe('suppressing', () => {
  it('and undoing it keep the number of addresses on the list right, and report the list as changed only where it was', async () => {
    const { bench, begin, done, undo, one } = await withPeople()
    const { id: listId } = await bench.run('suppressionLists.create', {
      organizationId: 1,
      suppressionList: { name: 'Never' }
    })
    const changes = () =>
      bench.told
        .splice(0)
        .filter(({ entity, action }) => entity === 'suppression_list' && action === 'update').length
    const addresses = () => one('SELECT addresses FROM suppression_lists WHERE id = ?', listId)
    const id = await begin({ kind: 'suppress', suppression_list_id: listId })
    changes()
    expect(await done(id)).toMatchObject({ changed: 3, same: 0 })
    expect(addresses()).toEqual({ addresses: 3 })
    expect(changes()).toBe(1)
    expect(await done(await begin({ kind: 'suppress', suppression_list_id: listId }))).toMatchObject({
      changed: 0,
      same: 3
    })
    expect(changes()).toBe(0)
    await undo(id)
    expect(await done(id)).toMatchObject({ restored: 3 })
    expect(addresses()).toEqual({ addresses: 0 })
    expect(changes()).toBe(1)
  })
})

describe('the settings of a bulk action', () => {
  it('may hold a value of ten thousand characters, of which two hundred are shown', async () => {
    const { field, begin, one } = await withPeople()
    const { id } = await field('Note', { field_type: 'text_multiline' })
    const shown = async (length: number) => {
      const action = await begin({ kind: 'set_field', custom_field_id: id, value: 'x'.repeat(length) })
      return one("SELECT json_extract(settings, '$.shown') AS shown FROM bulk_actions WHERE id = ?", action)
    }
    expect(await shown(200)).toEqual({ shown: 'x'.repeat(200) })
    expect(await shown(201)).toEqual({ shown: `${'x'.repeat(200)}…` })
    expect(await shown(10_000)).toEqual({ shown: `${'x'.repeat(200)}…` })
    await expect(shown(10_001)).rejects.toThrow('Note must be at most 10000 characters')
  })

  it('accept at most forty domain corrections, and show the first two hundred characters of them', async () => {
    const { begin, one } = await withPeople()
    const domains = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}.com`, 'gmail.com']))
    const named = async (given: Record<string, string>) => {
      const action = await begin({ kind: 'correct_domains', domains: given })
      return (
        one("SELECT json_extract(settings, '$.name') AS name FROM bulk_actions WHERE id = ?", action) as {
          name: string
        }
      ).name
    }
    // "xxx.com → gmail.com" is as long as the domains and 3 more.
    const long = `${'x'.repeat(184)}.com`
    expect(await named({ [long]: 'gmail.com' })).toBe(`${long} → gmail.com`)
    expect(await named({ [`x${long}`]: 'gmail.com' })).toBe(`x${long} → gmail.co…`)
    expect(await named({ ' GMIAL.com ': ' GMail.com ' })).toBe('gmial.com → gmail.com')
    expect(await named(domains(40))).toMatch(/^d0\.com → gmail\.com, d1\.com.*…$/)
    await expect(named(domains(41))).rejects.toThrow('domains must name at most 40 domains')
  })

  it('may add, remove or replace options, or blank the field; adding needs at least one', async () => {
    const { field, begin, done, one, ids } = await withPeople()
    const { id } = await field('Topics', {
      field_type: 'select_multiple_checkboxes',
      options: [{ name: 'A' }, { name: 'B' }]
    })
    const set = async (mode: 'set' | 'add' | 'remove', value: unknown) => {
      const result = await done(await begin({ kind: 'set_field', custom_field_id: id, mode, value }))
      const { topics } = one(
        `SELECT json_array_length(custom_fields, '$."${id}"') AS topics FROM subscribers WHERE id = ?`,
        ids[0]
      ) as { topics: number | null }
      return [(result as { changed: number }).changed, topics]
    }
    expect(await set('add', ['A'])).toEqual([3, 1])
    expect(await set('add', ['A', 'B'])).toEqual([3, 2])
    expect(await set('set', ['B', 'A'])).toEqual([0, 2])
    expect(await set('remove', ['A'])).toEqual([3, 1])
    expect(await set('remove', ['B'])).toEqual([3, null])
    expect(await set('remove', ['B'])).toEqual([0, null])
    expect(await set('set', null)).toEqual([0, null])
    await expect(set('add', null)).rejects.toThrow('value must name at least one option')
  })
})

import { describe, expect, it } from 'vitest'
import { canBeUndone, presentBulkAction } from '../../src-main/api/bulk-actions/queries.ts'
import { matchingFields, undoTime, undoObstacle } from '../../src-main/api/bulk-actions/rules.ts'
import { textOf } from '../support/refusals.ts'

describe('a change of one subscriber', () => {
  const at = 1_800_000_000_000

  it('can be undone for seven days, to the millisecond', () => {
    expect(undoTime).toBe(7 * 86_400_000)
    expect(undoObstacle({ via: 'window', at }, at)).toBeNull()
    expect(undoObstacle({ via: 'window', at }, at + undoTime)).toBeNull()
    expect(textOf(undoObstacle({ via: 'window', at }, at + undoTime + 1))).toBe(
      'changes can be undone for 7 days, and this one is older'
    )
    // The clock was set back meanwhile.
    expect(undoObstacle({ via: 'window', at }, at - 1)).toBeNull()
  })

  it('can be undone where a person or a program made it, but not where a job or a link did', () => {
    expect(undoObstacle({ via: 'api_key', at }, at)).toBeNull()
    for (const via of ['subscriber_import', 'bulk_action', 'link', null] as const) {
      expect(textOf(undoObstacle({ via, at }, at))).toBe(
        'only changes made in the app or with an API key can be undone one by one'
      )
    }
  })
})

describe('values that are carried to another list', () => {
  const field = (id: number, name: string, type: Parameters<typeof matchingFields>[0][number]['type']) => ({
    id,
    name,
    type
  })

  it('go into the same field, else into one of the same name, in upper or lower case', () => {
    const city = field(1, 'City', 'text')
    const own = field(2, 'CITY', 'text')
    expect(matchingFields([city], [own, city])).toEqual([[city, city]])
    expect(matchingFields([city], [field(3, 'Town', 'text'), own])).toEqual([[city, own]])
    expect(matchingFields([city], [field(3, 'Town', 'text')])).toEqual([])
  })

  it.each([
    ['text', 'text', true],
    ['number', 'text', true],
    ['text_multiline', 'text', false],
    ['text', 'text_multiline', true],
    ['text_multiline', 'text_multiline', true],
    ['date', 'text_multiline', true],
    ['text', 'number', false],
    ['number', 'date', false],
    ['select_single_dropdown', 'select_multiple_checkboxes', true],
    ['select_single_dropdown', 'number', false],
    ['boolean', 'select_single_dropdown', false],
    ['boolean', 'boolean', true]
  ] as const)('of a field of type %s fit one of type %s: %s', (from, to, fits) => {
    expect(matchingFields([field(1, 'a', from)], [field(2, 'A', to)])).toHaveLength(fits ? 1 : 0)
  })
})

type Row = Parameters<typeof canBeUndone>[0]

const ended: Row = {
  id: 5,
  organization_id: 1,
  mailing_list_id: 2,
  mailing_list_name: 'Readers',
  list_deleted_at: null,
  user_id: 1,
  selection_id: null,
  description: 'everybody',
  settings: JSON.stringify({ kind: 'delete' }),
  target_id: null,
  state: 'finished',
  error_message: null,
  total: 10,
  after_id: 10,
  done: 9,
  changed: 4,
  same: 2,
  kept: 1,
  undo_done: 0,
  restored: 0,
  not_restored: 0,
  created_at: 0,
  finished_at: 1000,
  forgotten_at: null
}

describe('a bulk action', () => {
  it.each([
    [{}, true],
    [{ state: 'cancelled' }, true],
    [{ state: 'failed' }, true],
    [{ changed: 0 }, false],
    [{ state: 'running' }, false],
    [{ state: 'undoing' }, false],
    [{ state: 'undone', not_restored: 1 }, true],
    [{ state: 'undone', not_restored: 0 }, false],
    [{ forgotten_at: 1 }, false],
    [{ list_deleted_at: 1 }, false],
    [{ state: 'undone', not_restored: 1, forgotten_at: 1 }, false]
  ] as const)('%j can be undone: %s', (change, can) => {
    expect(canBeUndone({ ...ended, ...change })).toBe(can)
  })

  it('is shown with what it did, how many were gone, and until when it can be undone', () => {
    expect(presentBulkAction(ended, 'UTC')).toMatchObject({
      kind: 'delete',
      status: null,
      name: null,
      mode: null,
      value: null,
      gone: 2,
      can_be_undone: true,
      undo_until: '1970-01-08T00:00:01Z',
      finished_at: '1970-01-01T00:00:01Z'
    })
    expect(presentBulkAction({ ...ended, changed: 0 }, 'UTC').undo_until).toBeNull()
    expect(presentBulkAction({ ...ended, finished_at: null }, 'UTC')).toMatchObject({
      undo_until: null,
      finished_at: null
    })
    const settings = JSON.stringify({
      kind: 'set_field',
      custom_field_id: 1,
      name: 'City',
      mode: 'set',
      value: 'x',
      shown: 'X'
    })
    expect(presentBulkAction({ ...ended, settings }, 'UTC')).toMatchObject({
      name: 'City',
      mode: 'set',
      value: 'X',
      status: null
    })
    const setStatus = JSON.stringify({ kind: 'set_status', status: 'bounced', revives: false })
    expect(presentBulkAction({ ...ended, settings: setStatus }, 'UTC')).toMatchObject({
      status: 'bounced',
      name: null
    })
  })
})

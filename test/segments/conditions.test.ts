import { expect, it } from 'vitest'
import type { FieldDefinition } from '../../src-main/api/custom-fields/rules.ts'
import { type Condition, fieldKindOf, listIdsOf } from '../../src-main/api/segments/conditions.ts'
import { describeClause } from '../../src-main/api/segments/describe.ts'
import { readConditions } from '../../src-main/api/segments/read-conditions.ts'
import { Faults } from '../../src-main/base/errors.ts'

const types = [
  'text',
  'number',
  'date',
  'day_of_year',
  'boolean',
  'select_single_dropdown',
  'select_multiple_checkboxes'
] as const
const fields = types.map((type, index): FieldDefinition => ({
  id: index + 1,
  organizationId: 1,
  mailingListId: null,
  name: type,
  type,
  required: false,
  instructions: null,
  attributes: {},
  options: type.startsWith('select') ? [10, 11, 12].map((id) => ({ id, name: `O${id}`, position: id })) : []
}))

const field = (type: (typeof types)[number], rest: object): object => ({
  type: 'custom_field',
  custom_field_id: types.indexOf(type) + 1,
  ...rest
})
const time = (rest: object): object => ({ type: 'time', attribute: 'created_at', ...rest })

const confirmedAndSuppressed = [
  { type: 'confirmed', operator: 'is true' },
  { type: 'suppressed', operator: 'is true' }
]

function read(given: unknown[]): { clause: Condition[]; refusal: string | undefined } {
  const faults = new Faults()
  return { clause: readConditions(given, 'clause', fields, faults), refusal: faults.refusal?.message }
}

it.each<[object, string]>([
  [
    { type: 'status', operator: 'is one of', statuses: ['active', 'bounced'] },
    'status is one of active, bounced'
  ],
  [{ type: 'email', operator: 'is', value: 'a@example.com' }, 'email is "a@example.com"'],
  [{ type: 'domain', operator: 'ends with', value: 'example.com' }, 'domain ends with "example.com"'],
  [{ type: 'confirmed', operator: 'is true' }, 'is confirmed'],
  [{ type: 'confirmed', operator: 'is false' }, 'is not confirmed'],
  [{ type: 'suppressed', operator: 'is true' }, 'is suppressed'],
  [{ type: 'suppressed', operator: 'is false' }, 'is not suppressed'],
  [{ type: 'campaign', operator: 'opened', campaign_id: 5 }, 'opened campaign "C5"'],
  [{ type: 'subscriber_import', operator: 'was added by', subscriber_import_id: 6 }, 'was added by import 6'],
  [{ type: 'reaction', operator: 'is in the last', days: 1 }, 'last open or click is in the last 1 day'],
  [
    { type: 'reaction', operator: 'is not in the last', days: 0 },
    'last open or click is not in the last 0 days'
  ],
  [field('text', { operator: 'contains', value: 'x' }), 'text contains "x"'],
  [field('text', { operator: 'contains', value: 'x'.repeat(255) }), `text contains "${'x'.repeat(255)}"`],
  [field('text', { operator: 'is blank' }), 'text is blank'],
  [field('text', { operator: 'is not blank' }), 'text is not blank'],
  [field('number', { operator: 'is', value: 0 }), 'number is 0'],
  [field('number', { operator: 'is between', from: 3, to: 3 }), 'number is between 3 and 3'],
  [field('date', { operator: 'is on', value: '2014-01-31' }), 'date is on 2014-01-31'],
  [field('date', { operator: 'is before', value: '0969-01-31' }), 'date is before 0969-01-31'],
  [field('date', { operator: 'is in the next', days: 36_500 }), 'date is in the next 36500 days'],
  [
    field('day_of_year', { operator: 'is between', from: '12-30', to: '01-02' }),
    'day_of_year is between 12-30 and 01-02'
  ],
  [field('day_of_year', { operator: 'is on', value: '02-29' }), 'day_of_year is on 02-29'],
  [field('boolean', { operator: 'is true' }), 'boolean is true'],
  [field('boolean', { operator: 'is false' }), 'boolean is false'],
  [
    field('select_single_dropdown', { operator: 'is none of', option_ids: [10, 12] }),
    'select_single_dropdown is none of "O10", "O12"'
  ],
  [
    field('select_multiple_checkboxes', { operator: 'is all of', option_ids: [11] }),
    'select_multiple_checkboxes is all of "O11"'
  ],
  [time({ operator: 'is after', value: '1970-01-01' }), 'time of being added is after 1970-01-01'],
  [
    { type: 'group', match: 'none', conditions: [{ type: 'confirmed', operator: 'is true' }] },
    'not (is confirmed)'
  ],
  [
    {
      type: 'group',
      match: 'any',
      conditions: confirmedAndSuppressed
    },
    '(is confirmed or is suppressed)'
  ],
  [
    {
      type: 'group',
      match: 'all',
      conditions: confirmedAndSuppressed
    },
    '(is confirmed and is suppressed)'
  ]
])('%j reads as itself, and is described: %s', (given, description) => {
  const { clause, refusal } = read([given])
  expect(refusal).toBeUndefined()
  const kind = (given as { custom_field_id?: number }).custom_field_id
  expect(clause).toEqual([
    kind === undefined ? given : { ...given, kind: fieldKindOf(types[kind - 1] ?? 'text') }
  ])
  const names = {
    list: (id: number) => `L${id}`,
    field: (id: number) => types[id - 1] ?? '',
    option: (id: number) => `O${id}`,
    campaign: (id: number) => `C${id}`,
    subscriberImport: (id: number) => `import ${id}`
  }
  expect(describeClause(clause, names)).toBe(description)
})

it.each<[unknown, string]>([
  [7, 'clause.0 must be an object'],
  [null, 'clause.0 must be an object'],
  [{ type: 'email', operator: 'is', value: ' ' }, 'clause.0.value must be a text of 1 to 255 characters'],
  [{ type: 'email', operator: 'is', value: 1 }, 'clause.0.value must be a text of 1 to 255 characters'],
  [{ type: 'domain', operator: 'is', value: '@' }, 'clause.0.value must be a domain such as example.com'],
  [
    { type: 'domain', operator: 'is', value: 'a@b.cc' },
    'clause.0.value must be a domain such as example.com'
  ],
  [{ type: 'confirmed', operator: 'is' }, 'clause.0.operator must be one of is true, is false'],
  [
    { type: 'campaign', operator: 'opened', campaign_id: '5' },
    'clause.0.campaign_id must be the id of a campaign'
  ],
  [
    { type: 'campaign', operator: 'opened', campaign_id: 5.5 },
    'clause.0.campaign_id must be the id of a campaign'
  ],
  [
    { type: 'subscriber_import', operator: 'was added by' },
    'clause.0.subscriber_import_id must be the id of an import of this list'
  ],
  [
    { type: 'status', operator: 'is one of', statuses: [] },
    'clause.0.statuses must be some of active, bounced, unsubscribed, scomp, deactivated'
  ],
  [
    { type: 'status', operator: 'is one of', statuses: ['active', 'gone'] },
    'clause.0.statuses must be some of active, bounced, unsubscribed, scomp, deactivated'
  ],
  [
    { type: 'custom_field', custom_field_id: 99, operator: 'is' },
    'clause.0.custom_field_id must be the id of a custom field of this list'
  ],
  [
    field('text', { operator: 'contains', value: 'x'.repeat(256) }),
    'clause.0.value must be a text of 1 to 255 characters'
  ],
  // An accent alone.
  [
    field('text', { operator: 'is', value: '\u0301' }),
    'clause.0.value must be a text of 1 to 255 characters'
  ],
  [field('number', { operator: 'is', value: 1.5 }), 'clause.0.value must be a whole number'],
  [
    field('number', { operator: 'is between', from: 3, to: 2 }),
    'clause.0.to must not come before clause.0.from'
  ],
  [field('number', { operator: 'is between', from: 3 }), 'clause.0.to must be a whole number'],
  [field('number', { operator: 'is between', to: 3 }), 'clause.0.from must be a whole number'],
  [
    field('date', { operator: 'is on', value: '2014-02-30' }),
    'clause.0.value must be a day such as 2014-01-31'
  ],
  [
    field('date', { operator: 'is on', value: '01/31/2014' }),
    'clause.0.value must be a day such as 2014-01-31'
  ],
  [field('date', { operator: 'is on', value: 5 }), 'clause.0.value must be a day such as 2014-01-31'],
  [
    field('date', { operator: 'is in the last', days: -1 }),
    'clause.0.days must be a whole number from 0 to 36500'
  ],
  [
    field('date', { operator: 'is in the last', days: 36_501 }),
    'clause.0.days must be a whole number from 0 to 36500'
  ],
  [
    field('date', { operator: 'is in the last', days: 1.5 }),
    'clause.0.days must be a whole number from 0 to 36500'
  ],
  [
    field('date', { operator: 'is in the last', days: '1' }),
    'clause.0.days must be a whole number from 0 to 36500'
  ],
  [
    field('day_of_year', { operator: 'is on', value: '02-30' }),
    'clause.0.value must be a day of the year such as 01-31'
  ],
  [
    field('day_of_year', { operator: 'is on', value: 7 }),
    'clause.0.value must be a day of the year such as 01-31'
  ],
  [time({ operator: 'is on', value: '1969-12-31' }), 'clause.0.value must be in the years 1970 to 9999'],
  [time({ operator: 'is on', value: 'soon' }), 'clause.0.value must be a day such as 2014-01-31'],
  [
    field('select_single_dropdown', { operator: 'is one of', option_ids: [] }),
    'clause.0.option_ids must be the ids of options of this field'
  ],
  [
    field('select_single_dropdown', { operator: 'is one of', option_ids: [10, 13] }),
    'clause.0.option_ids must be the ids of options of this field'
  ],
  [
    field('select_single_dropdown', { operator: 'is one of', option_ids: 10 }),
    'clause.0.option_ids must be the ids of options of this field'
  ],
  [{ type: 'group', match: 'all', conditions: [] }, 'clause.0.conditions must hold at least one condition'],
  [{ type: 'group', match: 'all', conditions: {} }, 'clause.0.conditions must hold at least one condition'],
  [{ type: 'group', match: 'one', conditions: [7] }, 'clause.0.match must be one of all, any, none'],
  [
    { type: 'other' },
    'clause.0.type must be one of in_mailing_list, group, status, email, domain, custom_field, time, confirmed, suppressed, campaign, subscriber_import, reaction'
  ]
])('the condition %j is refused: %s', (given, refusal) => {
  expect(read([given]).refusal).toBe(refusal)
})

it('a value that is given twice counts once, and a domain may begin with an @', () => {
  expect(
    read([
      { type: 'status', operator: 'is one of', statuses: ['active', 'active'] },
      field('select_single_dropdown', { operator: 'is one of', option_ids: [12, 10, 12] }),
      { type: 'domain', operator: 'is', value: ' @example.com ' }
    ])
  ).toEqual({
    clause: [
      { type: 'status', operator: 'is one of', statuses: ['active'] },
      {
        type: 'custom_field',
        custom_field_id: 6,
        kind: 'option',
        operator: 'is one of',
        option_ids: [10, 12]
      },
      { type: 'domain', operator: 'is', value: 'example.com' }
    ],
    refusal: undefined
  })
})

const leaf = { type: 'confirmed', operator: 'is true' }
const nested = (depth: number): object =>
  depth === 0 ? leaf : { type: 'group', match: 'all', conditions: [nested(depth - 1)] }

it('groups stand in four others at most, and a clause has at most 50 conditions', () => {
  expect(read([nested(4)]).refusal).toBeUndefined()
  expect(read([nested(5)]).refusal).toBe(
    'clause.0.conditions.0.conditions.0.conditions.0.conditions.0 is a group in 4 others, which is too deep'
  )
  expect(read(Array.from({ length: 50 }, () => leaf)).refusal).toBeUndefined()
  expect(read(Array.from({ length: 51 }, () => leaf)).refusal).toBe(
    'clause has 51 conditions, and may have 50'
  )
})

it('the other lists of a clause are found in its groups too', () => {
  const on = (mailing_list_id: number): Condition => ({
    type: 'in_mailing_list',
    operator: 'is in',
    mailing_list_id
  })
  const clause: Condition[] = [on(1), { type: 'group', match: 'any', conditions: [on(2), on(3)] }]
  expect(listIdsOf(clause)).toEqual([1, 2, 3])
})

it('a clause is described in one sentence', () => {
  const names = {
    list: () => 'L',
    field: () => '',
    option: () => '',
    campaign: () => '',
    subscriberImport: () => ''
  }
  expect(describeClause([], names)).toBe('all active subscribers')
  expect(
    describeClause(
      [
        { type: 'in_mailing_list', operator: 'is not in', mailing_list_id: 1 },
        { type: 'confirmed', operator: 'is true' }
      ],
      names
    )
  ).toBe('is not in mailing list "L" and is confirmed')
})

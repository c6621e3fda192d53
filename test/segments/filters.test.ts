import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Condition, FieldCondition, TimeCondition } from '../../src-main/api/segments/conditions.ts'
import type { Segment } from '../../src-main/api/segments/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { resolveConditions } from '../../src-main/api/segments/settled.ts'
import { sharedApplication } from '../support/application.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import {
  allSubscribers,
  importFile,
  importText,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { roundsToRun, shortOrLong } from '../support/long.ts'

const started = sharedApplication()

/** Subscribers with values of every kind, from few values so that conditions match some. */
const cities = ['Wien', 'wien ', 'Müller-Straße', 'MULLER', '100%_\\', `O'Hara"`, 'Łódź', '']
const options = ['Red', 'Green', 'Blue']
const statuses = ['active', 'bounced', 'unsubscribed', 'deactivated'] as const
const domains = ['example.com', 'mail.example.com', 'example.org', 'EXAMPLE.com']

const person = fc.record({
  name: fc.constantFrom('anna', 'Ben', 'a.b', 'o_k', 'x%y'),
  domain: fc.constantFrom(...domains),
  status: fc.constantFrom(...statuses),
  city: fc.constantFrom(...cities),
  age: fc.option(fc.integer({ min: -2, max: 3 })),
  joined: fc.option(day()),
  birthday: fc.option(day().map((text) => text.slice(5))),
  vip: fc.option(fc.boolean()),
  colour: fc.option(fc.constantFrom(...options)),
  colours: fc.subarray(options),
  subscribed: day()
})

function day() {
  return fc
    .integer({ min: -400, max: 400 })
    .map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
}

type People = Awaited<ReturnType<typeof makePeople>>

async function makePeople() {
  const list = await makeList(started.api)
  const types = ['text', 'number', 'date', 'day_of_year', 'boolean', 'select_single_dropdown']
  const fields = await Promise.all(
    [...types, 'select_multiple_checkboxes'].map((type) =>
      makeField(
        started.api,
        list.id,
        type,
        type,
        type.startsWith('select_') ? { options: options.map((name) => ({ name })) } : {}
      )
    )
  )
  const drawn = fc.sample(person, { numRuns: shortOrLong(80, 400, 2), seed: 16 })
  const imported = (part: string) =>
    drawn.slice(0, 9).map((one, index) => `${part}${index}@${one.domain},${one.city.replaceAll('"', '')}`)
  const runImport = async (part: string, known: string[] = []) => {
    const lines = ['email,text', ...imported(part), ...known].join('\n')
    const columns = { column_mapping: ['email', 'text'], overwrite: true }
    return (await importText(started.api, list.id, lines, columns)).id
  }
  const importIds = [await runImport('first')]
  for (const [index, one] of drawn.entries()) {
    // Those of the first one are overwritten, not added.
    if (index === 40) importIds.push(await runImport('second', imported('first')))
    await makeSubscriber(started.api, list.id, `${one.name}${index}@${one.domain}`, {
      status: one.status,
      subscribe_time: `${one.subscribed}T12:00:00Z`,
      custom_fields: {
        text: one.city,
        number: one.age,
        date: one.joined,
        day_of_year: one.birthday,
        boolean: one.vip,
        select_single_dropdown: one.colour,
        select_multiple_checkboxes: one.colours
      }
    })
  }
  return { list, fields, importIds, subscribers: await allSubscribers(started.api, list.id) }
}

function conditions({ fields, importIds }: People): fc.Arbitrary<Condition> {
  const field = (type: string) => fields.find((each) => each.field_type === type)
  const on = (kind: FieldCondition['kind'], type: string, rest: fc.Arbitrary<object>) =>
    rest.map(
      (operand) =>
        ({ type: 'custom_field', custom_field_id: field(type)?.id ?? 0, kind, ...operand }) as FieldCondition
    )
  const blank = fc.record({ operator: fc.constantFrom('is blank', 'is not blank') })
  const between = <Value>(values: fc.Arbitrary<Value>) =>
    fc.tuple(values, values).map(([one, other]) => ({
      operator: 'is between',
      from: one < other ? one : other,
      to: one < other ? other : one
    }))
  const text = (values: fc.Arbitrary<string>) =>
    fc.record({
      operator: fc.constantFrom('contains', 'does not contain', 'begins with', 'ends with', 'is', 'is not'),
      value: values
    })
  const inDays = (...operators: string[]) =>
    fc.record({ operator: fc.constantFrom(...operators), days: fc.integer({ min: 0, max: 500 }) })
  const number = fc.integer({ min: -3, max: 4 })
  const dayOfYear = day().map((value) => value.slice(5))
  const idsOf = (type: string) => (field(type)?.options ?? []).map(({ id }) => id ?? 0)
  const chosen = (type: string, ...operators: string[]) =>
    fc.record({
      operator: fc.constantFrom(...operators),
      option_ids: fc.subarray(idsOf(type), { minLength: 1 })
    })
  const compared = <Value>(values: fc.Arbitrary<Value>, ...operators: string[]) =>
    fc.record({ operator: fc.constantFrom(...operators), value: values })
  const leaf = fc.oneof(
    fc.record({
      type: fc.constant('status'),
      operator: fc.constantFrom('is one of', 'is none of'),
      statuses: fc.subarray([...statuses], { minLength: 1 })
    }),
    text(fc.constantFrom('A', 'an', '%', '_', '1', 'example.com', '@EXAMPLE', "'")).map((rest) => ({
      type: 'email',
      ...rest
    })),
    compared(fc.constantFrom('example.com', 'EXAMPLE.org', '.com', 'com'), 'is', 'is not', 'ends with').map(
      (rest) => ({
        type: 'domain',
        ...rest
      })
    ),
    on(
      'text',
      'text',
      fc.oneof(
        blank,
        text(fc.constantFrom('wien', 'MÜLLER', 'muller', 'strasse', '%', '_\\', `"`, "'", 'Łódź'))
      )
    ),
    on(
      'number',
      'number',
      fc.oneof(blank, between(number), compared(number, 'is', 'is not', 'is at least', 'is at most'))
    ),
    on(
      'date',
      'date',
      fc.oneof(
        blank,
        between(day()),
        inDays('is in the last', 'is in the next'),
        compared(day(), 'is on', 'is before', 'is after')
      )
    ),
    on(
      'day_of_year',
      'day_of_year',
      fc.oneof(
        blank,
        fc.record({ operator: fc.constant('is between'), from: dayOfYear, to: dayOfYear }),
        inDays('is in the last', 'is in the next'),
        compared(dayOfYear, 'is on')
      )
    ),
    on(
      'boolean',
      'boolean',
      fc.oneof(blank, fc.record({ operator: fc.constantFrom('is true', 'is false') }))
    ),
    on(
      'option',
      'select_single_dropdown',
      fc.oneof(blank, chosen('select_single_dropdown', 'is one of', 'is none of'))
    ),
    on(
      'options',
      'select_multiple_checkboxes',
      fc.oneof(blank, chosen('select_multiple_checkboxes', 'is one of', 'is all of', 'is none of'))
    ),
    fc
      .oneof(between(day()), inDays('is in the last'), compared(day(), 'is on', 'is before', 'is after'))
      .map((rest) => ({ type: 'time', attribute: 'subscribe_time', ...rest })),
    fc.record({
      type: fc.constant('subscriber_import'),
      operator: fc.constantFrom('was added by', 'was not added by'),
      subscriber_import_id: fc.constantFrom(...importIds)
    })
  ) as fc.Arbitrary<Condition>
  return fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', maxDepth: 2 },
      leaf,
      fc.record({
        type: fc.constant('group' as const),
        match: fc.constantFrom('all', 'any', 'none'),
        conditions: fc.array(tie('condition'), { minLength: 1, maxLength: 3 })
      })
    )
  })).condition
}

function meets(subscriber: Subscriber, condition: Condition, people: People): boolean {
  switch (condition.type) {
    case 'group': {
      const each = condition.conditions.map((inner) => meets(subscriber, inner, people))
      if (condition.match === 'all') return each.every(Boolean)
      return each.some(Boolean) === (condition.match === 'any')
    }
    case 'status':
      return condition.statuses.includes(subscriber.status) === (condition.operator === 'is one of')
    case 'email':
      return meetsText(subscriber.email.toLowerCase(), condition.operator, condition.value.toLowerCase())
    case 'domain': {
      const domain = subscriber.email.toLowerCase().split('@')[1] ?? ''
      const wanted = condition.value.toLowerCase()
      return condition.operator === 'ends with'
        ? domain.endsWith(wanted)
        : (domain === wanted) === (condition.operator === 'is')
    }
    case 'time':
      return meetsDay(subscriber.subscribe_time.slice(0, 10), condition)
    case 'custom_field': {
      const field = people.fields.find(({ id }) => id === condition.custom_field_id)
      return meetsField(
        (subscriber.custom_fields[field?.name ?? '']?.value ?? null) as FieldValue,
        condition,
        field?.options ?? []
      )
    }
    case 'subscriber_import': {
      const part = ['first', 'second'][people.importIds.indexOf(condition.subscriber_import_id)] ?? ''
      return subscriber.email.startsWith(part) === (condition.operator === 'was added by')
    }
    default:
      throw new Error(`nothing is drawn of the type ${condition.type}`)
  }
}

type FieldValue = string | number | boolean | string[] | null

function meetsField(
  value: FieldValue,
  condition: FieldCondition,
  options: { id?: number; name: string }[]
): boolean {
  const { kind, operator } = condition
  const isBlank = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (operator === 'is blank') return isBlank
  if (operator === 'is not blank') return !isBlank
  if (kind === 'text') return meetsText(plain(String(value ?? '')), operator, plain(String(condition.value)))
  if (kind === 'option' || kind === 'options') {
    const names = options.filter(({ id }) => condition.option_ids?.includes(id ?? 0)).map(({ name }) => name)
    const has = (isBlank ? [] : [value].flat()) as string[]
    if (operator === 'is all of') return names.every((name) => has.includes(name))
    return names.some((name) => has.includes(name)) === (operator === 'is one of')
  }
  if (operator === 'is not') return value !== condition.value
  if (isBlank) return false
  if (kind === 'boolean') return value === (operator === 'is true')
  if (kind === 'number') {
    const number = value as number
    if (operator === 'is') return number === condition.value
    if (operator === 'is at least') return number >= Number(condition.value)
    if (operator === 'is at most') return number <= Number(condition.value)
    return number >= Number(condition.from) && number <= Number(condition.to)
  }
  return meetsDay(String(value), condition)
}

/**
 * True if a day, or a day of the year, meets the condition. "is between" wraps around if `from` is after
 * `to`.
 */
function meetsDay(
  value: string,
  { operator, value: other, from, to, days = 0 }: FieldCondition | TimeCondition
): boolean {
  const today = new Date().toISOString().slice(0, 10)
  if (operator === 'is on') return value === other
  if (operator === 'is before') return value < String(other)
  if (operator === 'is after') return value > String(other)
  if (operator === 'is between') {
    const [isAfter, isBefore] = [value >= String(from), value <= String(to)]
    return String(from) > String(to) ? isAfter || isBefore : isAfter && isBefore
  }
  const isPast = operator === 'is in the last'
  // Day by day, as one would on a calendar.
  for (let step = 0; step <= Math.min(days, 400); step++) {
    const then = new Date(Date.parse(today) + (isPast ? -step : step) * 86_400_000).toISOString().slice(0, 10)
    if (value === then || (value.length === 5 && (value === then.slice(5) || days >= 365))) return true
  }
  return value.length === 10 && days > 400 && meetsFar(value, today, days, isPast)
}

function meetsFar(value: string, today: string, days: number, isPast: boolean): boolean {
  const distance = (Date.parse(value) - Date.parse(today)) / 86_400_000
  return isPast ? distance <= 0 && distance >= -days : distance >= 0 && distance <= days
}

function meetsText(text: string, operator: string, value: string): boolean {
  if (operator === 'contains') return text.includes(value)
  if (operator === 'does not contain') return !text.includes(value)
  if (operator === 'begins with') return text.startsWith(value)
  if (operator === 'ends with') return text.endsWith(value)
  return (text === value) === (operator === 'is')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
}

function nested(groups: number): object {
  if (groups === 0) return { type: 'email', operator: 'is', value: 'a@example.com' }
  return { type: 'group', match: 'any', conditions: [nested(groups - 1)] }
}

describe('filters', () => {
  let people: People
  beforeAll(async () => {
    people = await makePeople()
  }, 60_000)

  async function shown(question: object, listId = people.list.id) {
    const answer = await started.api.workbench<Subscriber[]>(
      'POST',
      `/mailing_lists/${listId}/subscriber_table`,
      {
        per_page: 500,
        ...question
      }
    )
    expect(answer.error_message).toBeNull()
    return answer
  }

  it('select what a plain evaluation of their conditions selects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(conditions(people), { maxLength: 2 }), async (clause) => {
        const wanted = people.subscribers.filter((each) =>
          clause.every((condition) => meets(each, condition, people))
        )
        const answer = await shown({ clause })
        expect(answer.data.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
        expect(answer.num_records).toBe(wanted.length)
      }),
      { numRuns: roundsToRun(300, 5000) }
    )
  }, 600_000)

  it('have segment counts that add up to the number of matching subscribers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(conditions(people), { minLength: 1, maxLength: 2 }), async (clause) => {
        const wanted = people.subscribers.filter((each) =>
          clause.every((condition) => meets(each, condition, people))
        )
        const path = `/mailing_lists/${people.list.id}/segment_counts`
        const { data } = await started.api.workbench<Record<string, number>>('POST', path, { clause })
        expect(Object.values(data).reduce((sum, count) => sum + count, 0)).toBe(wanted.length)
      }),
      { numRuns: roundsToRun(30, 500) }
    )
  }, 600_000)

  it('search for what stands anywhere in the email or in a text', async () => {
    const parts = fc.constantFrom(
      'an',
      'BEN',
      'wien',
      'muller',
      'Ü',
      '-str',
      'ss',
      '%',
      '\\',
      `'`,
      `"`,
      'Ł',
      '_',
      '1@',
      'zz'
    )
    await fc.assert(
      fc.asyncProperty(parts, parts, async (one, other) => {
        for (const search of [one, one + other]) {
          const wanted = people.subscribers.filter(
            ({ email, custom_fields }) =>
              email.toLowerCase().includes(search.toLowerCase()) ||
              plain(textOf(custom_fields['text']?.value)).includes(plain(search))
          )
          const answer = await shown({ search })
          expect(answer.data.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
        }
      }),
      { numRuns: roundsToRun(60, 500) }
    )
  }, 600_000)

  const emails = (answer: { data: Subscriber[] }): string[] => answer.data.map(({ email }) => email)

  describe('of a table', () => {
    async function makeTable() {
      const list = await makeList(started.api)
      const city = await makeField(started.api, list.id, 'City', 'text')
      const age = await makeField(started.api, list.id, 'Age', 'number')
      const colour = await makeField(started.api, list.id, 'Colour', 'select_single_radio', {
        options: [{ name: 'Red' }, { name: 'Blue' }]
      })
      const make = (email: string, custom_fields: object) =>
        makeSubscriber(started.api, list.id, email, { custom_fields })
      await make('ben@example.com', { City: 'wien', Age: 9, Colour: 'Blue' })
      await make('anna@example.org', { City: 'Łódź', Age: 10, Colour: 'Red' })
      await make('clara@example.com', { City: 'Öd' })
      return { list, city, age, colour }
    }

    it('a search looks anywhere in the email and in fields of text, whatever the case and accents', async () => {
      const { list } = await makeTable()
      const found = async (search: string, rest = {}) => emails(await shown({ search, ...rest }, list.id))
      expect(await found('EXAMPLE.com')).toEqual(['ben@example.com', 'clara@example.com'])
      expect(await found(' od')).toEqual(['anna@example.org', 'clara@example.com'])
      expect(await found('WIE')).toEqual(['ben@example.com'])
      expect(await found('%')).toEqual([])
      expect(await found('\u0301')).toEqual([])
      expect(await found('ö/d')).toEqual([])
      const clause = [{ type: 'email', operator: 'begins with', value: 'cl' }]
      expect(await found('example.com', { clause })).toEqual(['clara@example.com'])
    })

    it('a search within a segment returns how many it finds there', async () => {
      const { list } = await makeTable()
      const path = `/mailing_lists/${list.id}/segments`
      const clause = [{ type: 'domain', operator: 'is', value: 'example.com' }]
      const segment = { segmentation_criteria: { name: 'Com', clause } }
      const { data } = await started.api.workbench<{ id: number }>('POST', path, segment)
      const answer = await shown({ search: 'n', segment_id: data.id, per_page: 1 }, list.id)
      expect(emails(answer)).toEqual(['ben@example.com'])
      expect(answer.num_records).toBe(1)
    })

    it('an order by any column has blank values last, in both directions', async () => {
      const { list, city, age, colour } = await makeTable()
      const order = async (by: string | number | undefined, descending = false) =>
        emails(await shown({ sort: { by, descending } }, list.id)).map((email) => email[0])
      expect(await order('email')).toEqual(['a', 'b', 'c'])
      expect(await order('email', true)).toEqual(['c', 'b', 'a'])
      expect(await order(age.id)).toEqual(['b', 'a', 'c'])
      expect(await order(age.id, true)).toEqual(['a', 'b', 'c'])
      expect(await order(city.id)).toEqual(['c', 'b', 'a'])
      expect(await order(colour.id)).toEqual(['a', 'b', 'c'])
    })

    it('a field with several values has no order', async () => {
      const checkboxes = people.fields.at(-1)?.id
      const path = `/mailing_lists/${people.list.id}/subscriber_table`
      const answer = await started.api.workbench('POST', path, {
        sort: { by: checkboxes, descending: false }
      })
      expect(answer.error_message).toMatch(/^sort\.by must be one of email, .* custom field with one value$/)
    })

    it('each page starts where the previous page ends, also after a subscriber was added', async () => {
      const { list } = await makeTable()
      const page = async (number: number) =>
        emails(await shown({ sort: { by: 'email', descending: false }, page: number, per_page: 2 }, list.id))
      expect(await page(1)).toEqual(['clara@example.com'])
      expect(await page(0)).toEqual(['anna@example.org', 'ben@example.com'])
      await makeSubscriber(started.api, list.id, 'aaron@example.com')
      expect(await page(0)).toEqual(['aaron@example.com', 'anna@example.org'])
    })
  })

  it.each<[string, object, string]>([
    ['an unknown type', { type: 'zodiac' }, 'clause.0.type must be one of in_mailing_list, group, status'],
    [
      'a field of another list',
      { type: 'custom_field', custom_field_id: 999_999 },
      'must be the id of a custom field of this list'
    ],
    [
      'an operator of another kind',
      { type: 'domain', operator: 'contains', value: 'x' },
      'clause.0.operator must be one of is, is not, ends with'
    ],
    [
      'a blank text',
      { type: 'email', operator: 'is', value: ' ' },
      'clause.0.value must be a text of 1 to 255 characters'
    ],
    [
      'no day',
      { type: 'time', attribute: 'created_at', operator: 'is on', value: '2021-02-30' },
      'clause.0.value must be a day such as 2014-01-31'
    ],
    [
      'an end before the beginning',
      { type: 'time', attribute: 'created_at', operator: 'is between', from: '2021-02-02', to: '2021-02-01' },
      'clause.0.to must not come before clause.0.from'
    ],
    [
      'an empty group',
      { type: 'group', match: 'any', conditions: [] },
      'clause.0.conditions must hold at least one condition'
    ],
    ['a group in more groups than four', nested(5), 'is a group in 4 others, which is too deep'],
    [
      'a status that is none',
      { type: 'status', operator: 'is one of', statuses: ['happy'] },
      'clause.0.statuses must be some of active'
    ],
    [
      'a number of days that is not whole',
      { type: 'reaction', operator: 'is not in the last', days: 1.5 },
      'clause.0.days must be a whole number from 0 to'
    ],
    [
      'a campaign that is not there',
      { type: 'campaign', operator: 'opened', campaign_id: 12345 },
      'clause.campaign_id 12345 does not exist'
    ],
    [
      'an import that is not there',
      { type: 'subscriber_import', operator: 'was added by', subscriber_import_id: 12345 },
      'clause.subscriber_import_id 12345 does not exist'
    ],
    [
      'an import that is not named by its id',
      { type: 'subscriber_import', operator: 'was added by', subscriber_import_id: '1' },
      'clause.0.subscriber_import_id must be the id of an import of this list'
    ],
    [
      'a list that is not there',
      { type: 'in_mailing_list', operator: 'is in', mailing_list_id: 54321 },
      'clause.mailing_list_id 54321 does not exist'
    ]
  ])('%s is refused with a sentence', async (_what, condition, sentence) => {
    const path = `/mailing_lists/${people.list.id}/subscriber_table`
    const answer = await started.api.workbench('POST', path, { clause: [condition] })
    expect(answer.error_code).toBe('validation_failed')
    expect(answer.error_message).toContain(sentence)
  })

  it('a group in four others is not too deep', async () => {
    const path = `/mailing_lists/${people.list.id}/subscriber_table`
    expect(await started.api.workbench('POST', path, { clause: [nested(4)] })).toMatchObject({
      error_message: null
    })
  })

  it('days are those of the time zone of the organization', async () => {
    const organizationId = await makeOrganization(started, { timeZone: 'Pacific/Auckland' })
    const api = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const list = await makeList(api)
    // There it is noon of May 2 already.
    await makeSubscriber(api, list.id, 'anna@example.com', { subscribe_time: '2021-05-02T00:30:00Z' })
    await makeSubscriber(api, list.id, 'ben@example.com', { subscribe_time: '2021-05-01T11:30:00Z' })
    const clause = [{ type: 'time', attribute: 'subscribe_time', operator: 'is on', value: '2021-05-02' }]
    const path = `/mailing_lists/${list.id}/subscriber_table`
    const on = await api.workbench<Subscriber[]>('POST', path, { clause })
    expect(on.num_records).toBe(1)
    expect(emails(on)).toEqual(['anna@example.com'])
  })

  it.each([
    ['America/Santiago', '2024-09-08'],
    ['America/Havana', '2024-03-10']
  ])('a day without a midnight in %s begins when its clocks have gone forward', (timeZone, value) => {
    const condition = { type: 'time', attribute: 'created_at', operator: 'is on', value } as const
    const [range] = resolveConditions([condition], { now: 0, timeZone })
    const shown = (ms: number | null) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(ms ?? 0)
    expect(range?.type === 'time_range' && shown(range.from)).toBe(`${value} 01:00`)
  })

  it('the last day of all has an end', () => {
    const condition = {
      type: 'time',
      attribute: 'created_at',
      operator: 'is on',
      value: '9999-12-31'
    } as const
    const [range] = resolveConditions([condition], { now: 0, timeZone: 'UTC' })
    expect(range).toMatchObject({ before: Date.UTC(10_000, 0, 1), from: Date.UTC(9999, 11, 31) })
  })

  it('find who is suppressed, by address, domain and MD5 sum, and count them again at once', async () => {
    const list = await makeList(started.api)
    const md5 = createHash('md5').update('clara@example.com').digest('hex')
    for (const email of [
      'anna@example.com',
      'ben@mail.example.com',
      'Clara@example.com',
      'dario@example.com'
    ]) {
      await makeSubscriber(started.api, list.id, email)
    }
    const clause = [{ type: 'suppressed', operator: 'is true' }]
    const counted = async () => {
      const path = `/mailing_lists/${list.id}/segment_counts`
      const { data } = await started.api.workbench<{ active: number }>('POST', path, { clause })
      return data.active
    }
    expect(await counted()).toBe(0)
    const made = await started.api.post<{ id: number }>('/suppression_lists', {
      suppression_list: { name: `Suppressed ${list.id}`, mailing_list_id: list.id }
    })
    const path = `/suppression_lists/${made.data.id}/suppressed_addresses/create_multiple`
    const addresses = ['anna@example.com', '@mail.example.com', md5]
    const added = await started.api.post(path, { data: addresses })
    expect(added.error_message).toBeNull()
    await expect.poll(counted, { timeout: 20_000 }).toBe(3)
    expect(emails(await shown({ clause }, list.id))).toHaveLength(3)
    const others = [{ type: 'suppressed', operator: 'is false' }]
    expect(emails(await shown({ clause: others }, list.id))).toEqual(['dario@example.com'])
  })

  it('find who has confirmed and who has not', async () => {
    const list = await makeList(started.api, { has_confirmed: true })
    await makeSubscriber(started.api, list.id, 'yes@example.com', { confirmed: true })
    await makeSubscriber(started.api, list.id, 'no@example.com', { confirmed: false })
    const found = async (operator: string) =>
      emails(await shown({ clause: [{ type: 'confirmed', operator }] }, list.id))
    expect(await found('is true')).toEqual(['yes@example.com'])
    expect(await found('is false')).toEqual(['no@example.com'])
  })

  it('are refused with what would be right where they are no conditions, or name no domain', async () => {
    const list = await makeList(started.api)
    const refusal = async (...clause: unknown[]) =>
      (await started.api.workbench('POST', `/mailing_lists/${list.id}/segment_counts`, { clause }))
        .error_message
    expect(await refusal('active')).toBe('clause.0 must be an object')
    const domain = { type: 'domain', operator: 'is' }
    for (const value of ['anna@example.com', ' ', '@'])
      expect(await refusal({ ...domain, value })).toContain('clause.0.value')
    expect(await refusal({ ...domain, value: 'anna@example.com' })).toBe(
      'clause.0.value must be a domain such as example.com'
    )
    expect(await refusal({ ...domain, value: '@example.com' })).toBeNull()
  })

  it('require permission to read the data that they filter by', async () => {
    const list = await makeList(started.api)
    const { id: campaign_id } = await makeCampaign(started.api, list.id)
    const opened = [{ type: 'campaign', operator: 'opened', campaign_id }]
    const reacted = [{ type: 'reaction', operator: 'is in the last', days: 30 }]
    const email = [{ type: 'email', operator: 'is', value: 'anna@example.com' }]
    const reader = await clientOfUser(started, { permissions: { subscriber: ['read'] } })
    const writer = await clientOfUser(started, { permissions: { segmentation_criteria: ['create'] } })
    const refused = async (api: Client, route: string, body: object) =>
      (await api.workbench('POST', `/mailing_lists/${list.id}/${route}`, body)).error_message
    expect(await refused(reader, 'subscriber_table', { clause: opened })).toContain('campaign.read_stats')
    expect(await refused(reader, 'subscriber_table', { clause: reacted })).toContain('campaign.read_stats')
    expect(await refused(reader, 'segment_counts', { clause: opened })).toContain('campaign.read_stats')
    expect(await refused(writer, 'segment_counts', { clause: email })).toContain('subscriber.read')
    const segment = { segmentation_criteria: { name: 'Anna', clause: email } }
    expect(await refused(writer, 'segments', segment)).toContain('subscriber.read')
    expect(await refused(writer, 'segment_counts', { clause: [] })).toBeNull()
  })

  describe('saved as a segment', () => {
    const clause = [
      { type: 'domain', operator: 'is', value: `o'hara.example` },
      {
        type: 'group',
        match: 'none',
        conditions: [{ type: 'status', operator: 'is one of', statuses: ['bounced'] }]
      }
    ]

    async function makeFiltered(name: string) {
      const list = await makeList(started.api)
      await makeSubscriber(started.api, list.id, `a@example.com`)
      await makeSubscriber(started.api, list.id, `b@o-hara.example`)
      const path = `/mailing_lists/${list.id}/segments`
      const given = [{ ...clause[0], value: 'o-hara.example' }, clause[1]]
      const made = await started.api.workbench<{ id: number }>('POST', path, {
        segmentation_criteria: { name, clause: given }
      })
      return { list, id: made.data.id, given }
    }

    it('are shown by the v2 API with their clause, a description and their SQL', async () => {
      const { list, id, given } = await makeFiltered('Hara')
      const { data } = await started.api.get<Segment>(`/segments/${id}`)
      expect(data.clause).toEqual(given)
      expect(data.description).toBe('domain is "o-hara.example" and not (status is one of bounced)')
      const all =
        await started.api.get<{ id: number; criteria_sql: string; criteria_json: string }[]>(
          '/segmentation_criterias'
        )
      const criteria = all.data.find((each) => each.id === id)
      expect(criteria?.criteria_sql).toContain(`'@o-hara.example'`)
      expect(JSON.parse(criteria?.criteria_json ?? '')).toEqual(given)
      const page = await started.api.get<Subscriber[]>(
        `/mailing_lists/${list.id}/subscribers?segment_id=${id}`
      )
      expect(emails(page)).toEqual(['b@o-hara.example'])
      expect(page.num_records).toBe(1)
    })

    it('are described by what they compare with', async () => {
      const list = await makeList(started.api)
      const city = await makeField(started.api, list.id, 'City', 'text')
      const age = await makeField(started.api, list.id, 'Age', 'number')
      const ofField = (id: number, rest: object) => ({ type: 'custom_field', custom_field_id: id, ...rest })
      for (const [condition, end] of [
        [{ type: 'reaction', operator: 'is not in the last', days: 1 }, 'is not in the last 1 day'],
        [{ type: 'reaction', operator: 'is in the last', days: 30 }, 'is in the last 30 days'],
        [
          {
            type: 'time',
            attribute: 'created_at',
            operator: 'is between',
            from: '2021-01-01',
            to: '2021-02-01'
          },
          'is between 2021-01-01 and 2021-02-01'
        ],
        [ofField(city.id, { operator: 'is', value: 'Wien' }), 'is "Wien"'],
        [ofField(city.id, { operator: 'is blank' }), 'is blank'],
        [ofField(age.id, { operator: 'is at least', value: 18 }), 'is at least 18']
      ] as const) {
        const made = await started.api.workbench<{ id: number }>(
          'POST',
          `/mailing_lists/${list.id}/segments`,
          {
            segmentation_criteria: { name: end, clause: [condition] }
          }
        )
        const { data } = await started.api.get<Segment>(`/segments/${made.data.id}`)
        expect(data.description.endsWith(end), data.description).toBe(true)
      }
    })

    it('are refused by the v2 API when a request brings them', async () => {
      const { list, id, given } = await makeFiltered('Refused')
      const body = { segmentation_criteria: { name: 'Refused too', clause: given } }
      const create = await started.api.post(`/mailing_lists/${list.id}/segments`, body)
      const update = await started.api.put(`/segments/${id}`, body)
      expect([create.error_code, update.error_code]).toEqual(['invalid_request', 'invalid_request'])
      const renamed = await started.api.put<Segment>(`/segments/${id}`, {
        segmentation_criteria: { name: 'Renamed' }
      })
      expect(renamed.data).toMatchObject({ name: 'Renamed', clause: given })
    })

    it('determine the subscribers of an export and the recipients of a campaign', async () => {
      const { list, id } = await makeFiltered('Used')
      const subscriber_export = { segment_id: id, columns: ['email'] }
      const path = `/mailing_lists/${list.id}/subscriber_exports`
      const made = await started.api.post<{ id: number }>(path, { subscriber_export })
      await started.api.exported(made.data.id)
      const file = await started.api.raw(`/ga/api/v2/subscriber_exports/${made.data.id}/download`)
      expect((await file.text()).trim().split('\n')).toEqual(['email', 'b@o-hara.example'])
      const campaign = await makeCampaign(started.api, list.id, {
        segmentation_criteria_ad_hoc: undefined,
        segmentation_criteria_id: id,
        dispatch_attributes: { from_email: 'sender@example.com', begins_at: new Date().toISOString() }
      })
      const { stat_summary } = await started.api.sent(campaign.id)
      expect(stat_summary?.messages_sent).toBe(1)
    })

    it('keep the custom fields that they ask for from being deleted', async () => {
      const list = await makeList(started.api)
      const field = await makeField(started.api, list.id, 'City', 'text')
      const condition = { type: 'custom_field', custom_field_id: field.id, operator: 'is blank' }
      const group = { type: 'group', match: 'any', conditions: [condition] }
      const { data } = await started.api.workbench<{ id: number }>(
        'POST',
        `/mailing_lists/${list.id}/segments`,
        {
          segmentation_criteria: { name: 'Cityless', clause: [group] }
        }
      )
      const refused = await started.api.delete(`/custom_fields/${field.id}`)
      expect(refused).toMatchObject({
        error_code: 'validation_failed',
        data: { dependencies: [{ type: 'segment', id: data.id }] }
      })
      await started.api.delete(`/segments/${data.id}`)
      expect((await started.api.delete(`/custom_fields/${field.id}`)).success).toBe(true)
    })

    it('keep the type of the fields, and the options, that they ask for', async () => {
      const list = await makeList(started.api)
      const field = await makeField(started.api, list.id, 'Colours', 'select_multiple_checkboxes', {
        options: [{ name: 'Red' }, { name: 'Blue' }]
      })
      const [red, blue] = field.options ?? []
      const condition = { type: 'custom_field', custom_field_id: field.id, operator: 'is one of' }
      await started.api.workbench('POST', `/mailing_lists/${list.id}/segments`, {
        segmentation_criteria: { name: 'Reds', clause: [{ ...condition, option_ids: [red?.id] }] }
      })
      const change = async (custom_field: object) =>
        (await started.api.put(`/custom_fields/${field.id}`, { custom_field })).error_message
      expect(await change({ field_type: 'text' })).toBe(
        'field_type cannot change from select_multiple_checkboxes to text while the segment "Reds" asks for it'
      )
      expect(await change({ options: [blue] })).toContain('while the segment "Reds" asks for it')
      expect(await change({ options: [red] })).toBeNull()
    })

    it('find what each subscriber did with a campaign', async () => {
      const list = await makeList(started.api)
      const names = ['anna', 'ben', 'clara', 'dario', 'eva']
      for (const name of names) await makeSubscriber(started.api, list.id, `${name}@example.com`)
      const { id: campaign_id } = await makeCampaign(started.api, list.id, {
        dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
      })
      await started.api.sent(campaign_id)
      const events = ['open', 'click', 'bounce', 'unsub', 'scomp']
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
      for (const [index, { id }] of (await allSubscribers(started.api, list.id)).entries()) {
        database
          .prepare(
            `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, occurred_at)
             SELECT max(id), ?, ?, 'x', 1, ? FROM stat_slices`
          )
          .run(events[index], id, Date.now())
      }
      database.close()
      const found = async (operator: string) =>
        emails(await shown({ clause: [{ type: 'campaign', operator, campaign_id }] }, list.id))
      const operators = ['opened', 'clicked', 'bounced from', 'unsubscribed from', 'complained about']
      for (const [index, operator] of operators.entries()) {
        expect(await found(operator)).toEqual([`${names[index]}@example.com`])
      }
      expect(await found('did not click')).toHaveLength(4)
      expect(await found('was sent')).toHaveLength(5)
      await makeSubscriber(started.api, list.id, 'late@example.com')
      expect(await found('was not sent')).toEqual(['late@example.com'])

      // An earlier version sent it, without a record of its recipients: no subscriber counts as left out.
      const earlier = new SQLite(join(started.dataDirectory, 'listwright.db'))
      earlier.prepare('UPDATE stats SET keeps_recipients = 0 WHERE campaign_id = ?').run(campaign_id)
      earlier.close()
      const unsure = [{ type: 'campaign', operator: 'was not sent', campaign_id }]
      const path = `/mailing_lists/${list.id}/subscriber_table`
      expect((await started.api.workbench('POST', path, { clause: unsure })).error_message).toContain(
        'was sent by an earlier version, which did not keep to whom'
      )
    })

    it('find the subscribers that an import added, also while others were added', async () => {
      const list = await makeList(started.api)
      const rows = Array.from({ length: 12_000 }, (_, index) => `imported${index}@example.com`)
      const importing = importText(started.api, list.id, ['email', ...rows].join('\n'))
      let done = false
      importing.finally(() => (done = true)).catch(() => undefined)
      const others: string[] = []
      for (let index = 0; !done || index < 3; index++) {
        others.push(`other${index}@example.com`)
        await makeSubscriber(started.api, list.id, `other${index}@example.com`)
      }
      const { id } = await importing
      const added = (operator: string) => [{ type: 'subscriber_import', operator, subscriber_import_id: id }]
      expect((await shown({ clause: added('was added by') }, list.id)).num_records).toBe(rows.length)
      const rest = await shown({ clause: added('was not added by') }, list.id)
      expect(rest.num_records).toBe(others.length)
      expect(emails(rest)).toEqual(others.slice(0, 500))
      const path = `/mailing_lists/${list.id}/imports_that_added`
      const choices = await started.api.workbench<object[]>('GET', path)
      expect(choices.data).toMatchObject([{ id, name: null, added: rows.length }])
    })

    it('name imports by their files', async () => {
      const list = await makeList(started.api)
      const { id } = await importFile(started, list.id, 'email\nanna@example.com\n')
      const text = await importText(started.api, list.id, 'email\nben@example.com\n')
      const describe = async (operator: string, subscriber_import_id: number) => {
        const clause = [{ type: 'subscriber_import', operator, subscriber_import_id }]
        const path = `/mailing_lists/${list.id}/segments`
        const { data } = await started.api.workbench<Segment>('POST', path, {
          segmentation_criteria: { name: `${operator} ${subscriber_import_id}`, clause }
        })
        return (await started.api.get<Segment>(`/segments/${data.id}`)).data.description
      }
      expect(await describe('was added by', id)).toMatch(/^was added by import "file-\d+\.csv"$/)
      expect(await describe('was not added by', text.id)).toBe(`was not added by import ${text.id}`)
    })

    it('name a download by its host and file, without the password and the token of its address', async () => {
      const list = await makeList(started.api)
      const url = 'https://bob:s3cret@files.example.com/path/people%20here.csv?token=abc'
      const { data } = await started.api.post<{ id: number }>(
        `/mailing_lists/${list.id}/subscriber_imports`,
        {
          subscriber_import: {
            column_mapping: ['email'],
            file_source: { type: 'url', url },
            begins_at: Math.floor(Date.now() / 1000) + 3600
          }
        }
      )
      const clause = [{ type: 'subscriber_import', operator: 'was added by', subscriber_import_id: data.id }]
      const made = await started.api.workbench<Segment>('POST', `/mailing_lists/${list.id}/segments`, {
        segmentation_criteria: { name: 'Downloaded', clause }
      })
      const { description } = (await started.api.get<Segment>(`/segments/${made.data.id}`)).data
      expect(description).toBe('was added by import "files.example.com/people here.csv"')
    })

    it('leave out imports that were undone, and refuse one of which a part is not known', async () => {
      const list = await makeList(started.api)
      const { id } = await importText(started.api, list.id, 'email\nanna@example.com\nben@example.com\n')
      const choices = async () =>
        (await started.api.workbench<object[]>('GET', `/mailing_lists/${list.id}/imports_that_added`)).data
      expect(await choices()).toHaveLength(1)
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
      const shorten = database.prepare(
        'UPDATE import_additions SET last_id = last_id + ? WHERE subscriber_import_id = ?'
      )
      shorten.run(-1, id)
      expect(await choices()).toEqual([])
      shorten.run(1, id)
      database.close()
      await started.api.workbench('POST', `/subscriber_imports/${id}/undo`)
      expect(await choices()).toEqual([])
    })

    it('refuse an import of an earlier version, which did not store the subscribers it added', async () => {
      const list = await makeList(started.api)
      const { id } = await importText(started.api, list.id, 'email\nanna@example.com\n')
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
      database.prepare('DELETE FROM import_additions WHERE subscriber_import_id = ?').run(id)
      database.close()
      const clause = [{ type: 'subscriber_import', operator: 'was not added by', subscriber_import_id: id }]
      const path = `/mailing_lists/${list.id}/subscriber_table`
      expect((await started.api.workbench('POST', path, { clause })).error_message).toContain(
        'was made by an earlier version, which did not record whom it added'
      )
      const choices = await started.api.workbench('GET', `/mailing_lists/${list.id}/imports_that_added`)
      expect(choices.data).toEqual([])
    })

    it('find who opened or clicked anything in the last days, and who did not', async () => {
      const list = await makeList(started.api)
      for (const name of ['anna', 'ben', 'clara', 'dario']) {
        await makeSubscriber(started.api, list.id, `${name}@example.com`)
      }
      const campaign = await makeCampaign(started.api, list.id, {
        dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
      })
      await started.api.sent(campaign.id)
      const [anna = 0, ben = 0, clara = 0] = (await allSubscribers(started.api, list.id)).map(({ id }) => id)
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
      const insert = database.prepare(
        `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, occurred_at)
         SELECT max(id), ?, ?, 'x', 1, ? FROM stat_slices`
      )
      const daysAgo = (days: number): number => Date.now() - days * 86_400_000
      insert.run('open', anna, daysAgo(2))
      insert.run('click', ben, daysAgo(40))
      // Neither is a sign of life.
      insert.run('bounce', clara, daysAgo(2))
      insert.run('unsub', clara, daysAgo(2))
      database.close()
      const found = async (operator: string, days: number) =>
        emails(await shown({ clause: [{ type: 'reaction', operator, days }] }, list.id))
      expect(await found('is in the last', 30)).toEqual(['anna@example.com'])
      expect(await found('is in the last', 60)).toEqual(['anna@example.com', 'ben@example.com'])
      expect(await found('is in the last', 1)).toEqual([])
      expect(await found('is not in the last', 30)).toEqual([
        'ben@example.com',
        'clara@example.com',
        'dario@example.com'
      ])
    })

    it('prevent the deletion of a campaign that they refer to, and find who opened and clicked', async () => {
      const list = await makeList(started.api)
      for (const name of ['anna', 'ben']) await makeSubscriber(started.api, list.id, `${name}@example.com`)
      const { id: campaign_id } = await makeCampaign(started.api, list.id)
      const path = `/mailing_lists/${list.id}/segments`
      const clause = [{ type: 'campaign', operator: 'did not open', campaign_id }]
      const { data } = await started.api.workbench<{ id: number }>('POST', path, {
        segmentation_criteria: { name: 'Sleepers', clause }
      })
      expect(emails(await shown({ clause }, list.id))).toHaveLength(2)
      const opened = [{ ...clause[0], operator: 'opened' }]
      expect(emails(await shown({ clause: opened }, list.id))).toEqual([])
      const refused = await started.api.delete(`/campaigns/${campaign_id}`)
      expect(refused.error_message).toContain(`is asked for by segment ${data.id} (Sleepers)`)
      await started.api.delete(`/segments/${data.id}`)
      expect((await started.api.delete(`/campaigns/${campaign_id}`)).success).toBe(true)
    })
  })
})

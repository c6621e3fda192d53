import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Segment, SegmentationCriteria } from '../../../src-main/api/segments/schema.ts'
import type { SubscriberExport } from '../../../src-main/api/subscriber-exports/schema.ts'
import type { Subscriber } from '../../../src-main/api/subscribers/schema.ts'
import { clientOfUser, makeOrganization } from '../../support/accounts.ts'
import type { Answer } from '../../support/client.ts'
import { sharedApplication } from '../../support/application.ts'
import {
  deleteList,
  makeAutoresponder,
  makeList,
  makeRemoteList,
  makeSegment,
  makeSubscriber
} from '../../support/builders.ts'

const started = sharedApplication()

/** Three people on one list: one is active on the other, one has left it, one was never there. */
interface Lists {
  list: number
  other: number
}
async function makeLists(): Promise<Lists> {
  const [list, other] = [await makeList(started.api), await makeList(started.api, { name: 'Customers' })]
  for (const email of ['Here@Example.com', 'left@example.com', 'never@example.com']) {
    await makeSubscriber(started.api, list.id, email)
  }
  await makeSubscriber(started.api, other.id, 'here@example.com')
  await makeSubscriber(started.api, other.id, 'LEFT@example.com', { status: 'unsubscribed' })
  return { list: list.id, other: other.id }
}

let lists: Lists
beforeAll(async () => {
  lists = await makeLists()
})

async function membersOf(segmentId: number, query = ''): Promise<string[]> {
  const { data } = await started.api.get<Subscriber[]>(
    `/mailing_lists/${lists.list}/subscribers?segment_id=${segmentId}${query}`
  )
  return data.map(({ email }) => email)
}

function inList(operator: string, mailing_list_id: unknown): Record<string, unknown> {
  return { type: 'in_mailing_list', operator, mailing_list_id }
}

describe('the operators of an in_mailing_list clause compare lower-cased emails', () => {
  it.each([
    ['is in', 'is in', ['Here@Example.com', 'left@example.com']],
    ['is_in', 'is in', ['Here@Example.com', 'left@example.com']],
    ['is not in', 'is not in', ['never@example.com']],
    ['is_not_in', 'is not in', ['never@example.com']],
    ['is active in', 'is active in', ['Here@Example.com']],
    ['is_active_in', 'is active in', ['Here@Example.com']]
  ])('%s, answered as "%s"', async (operator, answered, members) => {
    const segment = await makeSegment(started.api, lists.list, { operator, other: lists.other })
    expect(segment.clause).toEqual([
      {
        type: 'in_mailing_list',
        operator: answered,
        mailing_list_id: lists.other,
        mailing_list: { id: lists.other, name: 'Customers' }
      }
    ])
    expect(segment.description).toBe(`${answered} mailing list "Customers"`)
    expect(await membersOf(segment.id)).toEqual(members)
  })

  it('several conditions must all hold', async () => {
    const { data } = await started.api.post<Segment>(`/mailing_lists/${lists.list}/segments`, {
      segmentation_criteria: {
        name: 'Both',
        clause: [inList('is in', lists.other), inList('is not in', lists.other)]
      }
    })
    expect(data.description).toBe('is in mailing list "Customers" and is not in mailing list "Customers"')
    expect(await membersOf(data.id)).toEqual([])
  })

  it('a list with an alternate primary key is compared by email as well, and a deleted one is refused', async () => {
    const { data: field } = await started.api.post<{ id: number }>('/custom_fields', {
      custom_field: { name: 'Customer number', field_type: 'text' }
    })
    const keyed = await makeList(started.api, { primary_key_custom_field_id: field.id })
    for (const number of ['1', '2']) {
      await makeSubscriber(started.api, keyed.id, 'here@example.com', {
        custom_fields: { 'Customer number': number }
      })
    }
    const segment = await makeSegment(started.api, lists.list, { other: keyed.id })
    expect(await membersOf(segment.id)).toEqual(['Here@Example.com'])
    await deleteList(started.api, keyed.id)
    const page = await started.api.get(`/mailing_lists/${lists.list}/subscribers?segment_id=${segment.id}`)
    expect(page.error_message).toMatch(
      /^the segment refers to mailing list \d+ \("List \d+"\), which was deleted/
    )
  })
})

describe('a segment is refused', () => {
  it.each([
    ['without a name', { clause: [] }, 'validation_failed', /^name cannot be blank, clause cannot be blank$/],
    ['without a clause', { name: 'A' }, 'validation_failed', /^clause cannot be blank$/],
    ['with an empty clause', { name: 'A', clause: [] }, 'validation_failed', /^clause cannot be blank$/],
    [
      'with another type of clause',
      { name: 'A', clause: [{ type: 'custom_field', operator: 'is', value: 'x' }] },
      'invalid_request',
      /^clause\.0\.type must be in_mailing_list/
    ],
    [
      'with another operator',
      { name: 'A', clause: [inList('was in', 1)] },
      'validation_failed',
      /^clause\.0\.operator must be one of is in, is not in, is active in/
    ],
    [
      'with a list that is none',
      { name: 'A', clause: [inList('is in', 999_999)] },
      'validation_failed',
      /^clause\.0\.mailing_list_id 999999 does not exist$/
    ],
    [
      'without a list',
      { name: 'A', clause: [{ type: 'in_mailing_list', operator: 'is in' }] },
      'validation_failed',
      /^clause\.0\.mailing_list_id must be the id of a mailing list$/
    ]
  ])('%s', async (_name, segmentation_criteria, code, message) => {
    const answer = await started.api.post(`/mailing_lists/${lists.list}/segments`, { segmentation_criteria })
    expect(answer).toMatchObject({ success: false, error_code: code })
    expect(answer.error_message).toMatch(message)
  })

  it('with a list of another organization, or a Remote List', async () => {
    const organizationId = await makeOrganization(started)
    const stranger = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const foreign = await makeList(stranger)
    const remote = await makeRemoteList(started.api)
    for (const [id, message] of [
      [foreign.id, 'does not exist'],
      [remote.id, 'is a Remote List, which has no subscribers']
    ] as const) {
      const answer = await started.api.post(`/mailing_lists/${lists.list}/segments`, {
        segmentation_criteria: { name: 'A', clause: [inList('is in', id)] }
      })
      expect(answer.error_message).toBe(`clause.0.mailing_list_id ${id} ${message}`)
    }
  })
})

describe('segments', () => {
  it('are filtered by name, exactly or in part, in any letter case', async () => {
    const list = await makeList(started.api)
    for (const name of ['Überall', 'Nirgends']) await makeSegment(started.api, list.id, { name })
    const found = async (query: string): Promise<string[]> => {
      const { data } = await started.api.get<Segment[]>(`/mailing_lists/${list.id}/segments?${query}`)
      return data.map(({ name }) => name)
    }
    expect(await found(`name=${encodeURIComponent('ÜBERALL')}`)).toEqual(['Überall'])
    expect(await found('name=rall')).toEqual([])
    expect(await found('name_contains=IRG')).toEqual(['Nirgends'])
    expect(await found('name_contains=%25')).toEqual([])
    const page = await started.api.get(`/mailing_lists/${list.id}/segments?per_page=1&page=1`)
    expect(page).toMatchObject({ num_records: 2, num_pages: 2, data: [{ name: 'Nirgends' }] })
    expect(await started.api.get('/segments')).toMatchObject({ per_page: 2000 })
  })

  it('an update keeps what it leaves out, and rejects blank values', async () => {
    const segment = await makeSegment(started.api, lists.list, { other: lists.other })
    const renamed = await started.api.put<Segment>(`/segments/${segment.id}`, {
      segmentation_criteria: { name: 'Renamed' }
    })
    expect(renamed.data).toEqual({ ...segment, name: 'Renamed' })
    const changed = await started.api.put<Segment>(`/segments/${segment.id}`, {
      segmentation_criteria: { clause: [inList('is not in', lists.other)] }
    })
    expect(changed.data).toMatchObject({ name: 'Renamed', clause: [{ operator: 'is not in' }] })
    for (const blank of [{ name: ' ' }, { clause: [] }]) {
      expect(
        await started.api.put(`/segments/${segment.id}`, { segmentation_criteria: blank })
      ).toMatchObject({ error_code: 'validation_failed' })
    }
  })

  it.each(['true', '1'])('include_sql=%s answers the SQLite query that finds the members', async (asked) => {
    const { data } = await started.api.post<Segment>(
      `/mailing_lists/${lists.list}/segments?include_sql=${asked}`,
      { segmentation_criteria: { name: 'With SQL', clause: [inList('is in', lists.other)] } }
    )
    const sqlite = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
    const ids = sqlite
      .prepare(data.criteria_sql ?? '')
      .pluck()
      .all()
    sqlite.close()
    expect(ids).toHaveLength(2)
    const { data: criterias } = await started.api.get<SegmentationCriteria[]>('/segmentation_criterias')
    expect(criterias.find(({ id }) => id === data.id)).toMatchObject({
      criteria_sql: data.criteria_sql,
      criteria_json: JSON.stringify([inList('is in', lists.other)])
    })
    expect((await started.api.get(`/segments/${data.id}`)).data).not.toHaveProperty('criteria_sql')
  })

  it('one that an autoresponder uses is not deleted, and the autoresponder is named', async () => {
    const segment = await makeSegment(started.api, lists.list)
    const autoresponder = await makeAutoresponder(started.api, lists.list, 'Follow-up', {
      segmentation_criteria_id: segment.id
    })
    expect(autoresponder.segmentation_criteria_id).toBe(segment.id)
    expect(await started.api.delete(`/segments/${segment.id}`)).toMatchObject({
      error_code: 'validation_failed',
      data: { dependencies: [{ type: 'autoresponder', id: autoresponder.id }] }
    })
    await started.api.put(`/mailing_lists/${lists.list}/autoresponders/${autoresponder.id}`, {
      autoresponder: { segmentation_criteria_id: null }
    })
    expect(await started.api.delete(`/segments/${segment.id}`)).toMatchObject({ success: true, data: null })
    expect(await started.api.get(`/segments/${segment.id}`)).toMatchObject({ error_code: 'not_found' })
  })
})

describe('segment_id on the subscribers list', () => {
  it('pages by token and by number, and counts the members of the segment', async () => {
    const list = await makeList(started.api)
    const other = await makeList(started.api)
    const emails = Array.from({ length: 25 }, (_, number) => `p${number}@example.com`)
    for (const [number, email] of emails.entries()) {
      await makeSubscriber(started.api, list.id, email)
      if (number % 2 === 0) await makeSubscriber(started.api, other.id, email)
    }
    const segment = await makeSegment(started.api, list.id, { other: other.id })
    const path = `/mailing_lists/${list.id}/subscribers?segment_id=${segment.id}&per_page=5`
    const found: string[] = []
    for (let token: string | null | undefined = ''; token !== null;) {
      const page: Answer<Subscriber[]> = await started.api.get(`${path}&page_token=${token}`)
      expect(page).toMatchObject({ num_records: 13, num_pages: 3 })
      found.push(...page.data.map(({ email }) => email))
      token = page.next_page_token ?? null
    }
    expect(found).toEqual(emails.filter((_, number) => number % 2 === 0))
    const last = await started.api.get<Subscriber[]>(`${path}&page=2`)
    expect(last.data.map(({ email }) => email)).toEqual(found.slice(10))
    expect(last.next_page_token).toBeNull()
  })

  it('is exact right after a change', async () => {
    const list = await makeList(started.api)
    const other = await makeList(started.api)
    const segment = await makeSegment(started.api, list.id, { other: other.id })
    for (let number = 1; number <= 20; number++) {
      await makeSubscriber(started.api, list.id, `p${number}@example.com`)
      await makeSubscriber(started.api, other.id, `p${number}@example.com`)
      const page = await started.api.get(`/mailing_lists/${list.id}/subscribers?segment_id=${segment.id}`)
      expect(page.num_records).toBe(number)
    }
  })

  it("another list's segment is not found", async () => {
    const list = await makeList(started.api)
    const segment = await makeSegment(started.api, lists.list)
    const answer = await started.api.get(`/mailing_lists/${list.id}/subscribers?segment_id=${segment.id}`)
    expect(answer).toMatchObject({ success: false, error_code: 'not_found' })
  })
})

describe('segment_id of an export', () => {
  it('exports its members with the requested statuses, and knows their number', async () => {
    const segment = await makeSegment(started.api, lists.list, { other: lists.other })
    const { data } = await started.api.post<SubscriberExport>(
      `/mailing_lists/${lists.list}/subscriber_exports`,
      { subscriber_export: { segment_id: segment.id, columns: ['email'] } }
    )
    expect(data.segment_id).toBe(segment.id)
    const done = await started.api.exported(data.id)
    expect(done).toMatchObject({ state: 'finished', stats: { number_of_records: 2, records_exported: 2 } })
    const file = await started.api.raw(`/ga/api/v2/subscriber_exports/${data.id}/download`)
    expect(await file.text()).toMatch(/^email\r?\nHere@Example\.com\r?\nleft@example\.com\r?\n$/)
  })

  it("another list's segment is not found", async () => {
    const list = await makeList(started.api)
    const segment = await makeSegment(started.api, lists.list)
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_exports`, {
      subscriber_export: { segment_id: segment.id }
    })
    expect(answer).toMatchObject({ error_code: 'not_found' })
  })
})

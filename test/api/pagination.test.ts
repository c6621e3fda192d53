import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, importText, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()
const subscribersOf = (listId: number): string => `/mailing_lists/${listId}/subscribers`

async function filledList(count: number): Promise<number> {
  const list = await makeList(started.api)
  const emails = Array.from({ length: count }, (_, number) => `person${number}@example.com`)
  await importText(started.api, list.id, emails.join('\n'), { file_format: { csv_has_headers: false } })
  return list.id
}

describe('pages of subscribers', () => {
  it('are 100 long, 500 at most, and counted from 0', async () => {
    const listId = await filledList(150)
    const first = await started.api.get<Subscriber[]>(subscribersOf(listId))
    expect(first).toMatchObject({ page: 0, per_page: 100, num_records: 150, num_pages: 2 })
    expect(first.data).toHaveLength(100)
    expect(await started.api.get(`${subscribersOf(listId)}?per_page=501`)).toMatchObject({
      success: false,
      error_code: 'requested_too_many'
    })
  })

  it('past the last one are empty', async () => {
    const listId = await filledList(3)
    expect(await started.api.get(`${subscribersOf(listId)}?page=9`)).toMatchObject({
      success: true,
      data: [],
      next_page_token: null
    })
  })

  it('refuse page together with page_token, and a token that the server did not issue', async () => {
    const listId = await filledList(3)
    const { next_page_token: token } = await started.api.get(`${subscribersOf(listId)}?per_page=1`)
    for (const query of [`page=0&page_token=${token}`, 'page_token=abc']) {
      expect(await started.api.get(`${subscribersOf(listId)}?${query}`), query).toMatchObject({
        success: false,
        error_code: 'validation_failed'
      })
    }
  })

  it('by token end with a null token exactly at the last subscriber', async () => {
    const listId = await filledList(6)
    const first = await started.api.get<Subscriber[]>(`${subscribersOf(listId)}?per_page=3`)
    const second = await started.api.get<Subscriber[]>(
      `${subscribersOf(listId)}?per_page=3&page_token=${first.next_page_token}`
    )
    expect(second.data).toHaveLength(3)
    expect(second.next_page_token).toBeNull()
  })

  it('by number stand where counting would put them, after any deletions', async () => {
    const listId = await filledList(2600)
    const ids = (await allSubscribers(started.api, listId)).map(({ id }) => id)
    const seed = Date.now() % 2 ** 31
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.nat(400),
        fc.integer({ min: 1, max: 50 }),
        async (pick, page, perPage) => {
          const [id] = ids.splice(pick % ids.length, 1)
          await started.api.delete(`${subscribersOf(listId)}/${id}`)
          const { data } = await started.api.get<Subscriber[]>(
            `${subscribersOf(listId)}?page=${page}&per_page=${perPage}`
          )
          expect(data.map((subscriber) => subscriber.id)).toEqual(
            ids.slice(page * perPage, (page + 1) * perPage)
          )
        }
      ),
      { seed, numRuns: 60 }
    )
  })

  it('by token are contiguous and never overlap while subscribers come and go', async () => {
    const seed = Date.now() % 2 ** 31
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 30, maxLength: 30 }), async (picks) => {
        const listId = await filledList(120)
        const before = await allSubscribers(started.api, listId)
        const deleted = new Set<number>()
        const seen: number[] = []
        let token: string | null | undefined = ''
        for (const [step, pick] of picks.entries()) {
          const page: Awaited<ReturnType<typeof started.api.get<Subscriber[]>>> = await started.api.get(
            `${subscribersOf(listId)}?per_page=7&page_token=${token ?? ''}`
          )
          seen.push(...page.data.map(({ id }) => id))
          token = page.next_page_token
          if (token === null) break
          const victim = before[pick % before.length]?.id ?? 0
          if (!deleted.has(victim)) await started.api.delete(`${subscribersOf(listId)}/${victim}`)
          deleted.add(victim)
          await makeSubscriber(started.api, listId, `new${step}@example.com`)
        }
        expect(token).toBeNull()
        expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
        const stayed = before.map(({ id }) => id).filter((id) => !deleted.has(id))
        expect(stayed.filter((id) => !seen.includes(id))).toEqual([])
      }),
      { seed, numRuns: 5 }
    )
  })
})

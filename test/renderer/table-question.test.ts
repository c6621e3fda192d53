import { describe, expect, it } from 'vitest'
import { useRoute, useRouter } from 'vue-router'
import { newLine, rootOf } from '../../src-renderer/model/conditions.ts'
import { useTableQuestion } from '../../src-renderer/composables/useTableQuestion.ts'
import { mountComposable, openWindow, waitUntil } from './support/window.ts'

async function openTable() {
  await openWindow()
  const { result } = await mountComposable(() => ({
    asked: useTableQuestion(),
    route: useRoute(),
    router: useRouter()
  }))
  return result
}

const anna = [{ ...newLine('email', []), value: 'anna' }]

describe('useTableQuestion', () => {
  it('asks nothing for the whole list in its own order', async () => {
    const { asked } = await openTable()

    expect([asked.question.value, asked.isNarrowed.value]).toEqual([null, false])
  })

  it('writes the search, the segment and the order into the address', async () => {
    const { asked, route } = await openTable()

    asked.searchText.value = ' anna '
    asked.segmentId.value = 7
    asked.sort.value = { by: 'email', descending: true }

    await waitUntil(() => route.query['search'] && route.query['segment'] && route.query['sort'])
    expect(route.query).toEqual({ search: 'anna', segment: '7', sort: '-email' })
    expect(asked.question.value).toMatchObject({ search: 'anna', segment_id: 7 })
  })

  it('follows a link with another search, filter and order', async () => {
    const { asked, router } = await openTable()

    await router.push({ query: { search: 'ben', sort: '17', filter: JSON.stringify(anna) } })

    await waitUntil(() => asked.question.value?.search === 'ben' && asked.clause.value.length === 1)
    expect(asked.sort.value).toEqual({ by: 17, descending: false })
    expect(asked.isFiltering.value).toBe(true)
  })

  it('shows the list without a filter where the address has an incomplete one', async () => {
    const { asked, router } = await openTable()

    await router.push({ query: { filter: '[{"type":' } })

    expect(asked.question.value).toBeNull()
  })

  it('takes the filter out of the address when it is cleared', async () => {
    const { asked, route } = await openTable()
    asked.filter.value = rootOf(anna)
    await waitUntil(() => route.query['filter'])

    asked.clearFilter()

    await waitUntil(() => route.query['filter'] === undefined)
    expect(asked.isFiltering.value).toBe(false)
  })
})

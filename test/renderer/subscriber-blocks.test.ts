import { beforeAll, describe, expect, it } from 'vitest'
import { ref } from 'vue'
import type { TableQuestion } from '../../src-renderer/api/subscribers.ts'
import { useSubscriberBlocks } from '../../src-renderer/composables/useSubscriberBlocks.ts'
import { sharedApplication } from '../support/application.ts'
import { importText, makeList } from '../support/builders.ts'
import { mountComposable, openWindow, waitUntil } from './support/window.ts'

const started = sharedApplication()
const listId = ref(0)
const emailOf = (number: number): string => `p${String(number).padStart(3, '0')}@example.com`

async function openTable(question: TableQuestion | null = null) {
  await openWindow(started)
  const asked = ref(question)
  const { result: blocks } = await mountComposable(() => useSubscriberBlocks(listId, asked))
  await waitUntil(() => blocks.loaded.value)
  return { blocks, asked }
}

const search = (text: string): TableQuestion => ({ search: text })

describe('useSubscriberBlocks', () => {
  beforeAll(async () => {
    const list = await makeList(started.api)
    listId.value = list.id
    const rows = Array.from({ length: 250 }, (_, number) => emailOf(number))
    await importText(started.api, list.id, `email\n${rows.join('\n')}`)
  })

  it('loads the first block and the total', async () => {
    const { blocks } = await openTable()

    expect(blocks.total.value).toBe(250)
    expect(blocks.at(0)?.email).toBe(emailOf(0))
    expect(blocks.at(120)).toBeUndefined()
  })

  it('loads the blocks that become visible', async () => {
    const { blocks } = await openTable()

    blocks.show(190, 210)

    await waitUntil(() => blocks.at(100) && blocks.at(249))
    expect(blocks.at(249)?.email).toBe(emailOf(249))
  })

  it('returns ids of a range across blocks, loading what is missing', async () => {
    const { blocks } = await openTable()

    const ids = await blocks.idsBetween(98, 201)

    expect(ids).toHaveLength(104)
    expect(new Set(ids).size).toBe(104)
  })

  it('shows the old rows until another question is answered', async () => {
    const { blocks, asked } = await openTable()

    asked.value = search('p01')
    await waitUntil(() => blocks.asking.value)
    expect(blocks.at(0)?.email).toBe(emailOf(0))
    await waitUntil(() => !blocks.asking.value)

    expect(blocks.total.value).toBe(10)
    expect(blocks.at(0)?.email).toBe(emailOf(10))
    expect(blocks.answered.value).toEqual(search('p01'))
  })

  it('reports why a page cannot be loaded', async () => {
    const { blocks, asked } = await openTable()

    asked.value = { segment_id: 999_999 }

    await waitUntil(() => blocks.failure.value)
    expect(String(blocks.failure.value)).toMatch(/segment/i)
  })
})

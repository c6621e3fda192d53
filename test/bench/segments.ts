import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { segmentOperators } from '../../src-main/api/segments/schema.ts'
import type { StatusCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import { makeSegment } from '../support/builders.ts'
import { callMeanwhile, type Latencies } from './concurrent-client.ts'
import { makeFilledList } from './prepared-list.ts'
import { startServer } from './server.ts'
import { timeOf } from './statistics.ts'

export interface SegmentFigures extends Latencies {
  segment: string
  members: number
  /** Until the segment was counted, while a client calls every 20 ms. */
  counted_seconds: number
  /** Pages of 100 by token: the first one, and one in the middle of the list. */
  first_page_ms: number
  middle_page_ms: number
}

/** Times segments between two lists by operator. */
export async function benchSegments(rows: number): Promise<SegmentFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-bench-'))
  const server = await startServer(join(directory, 'data'))
  try {
    const { api } = server
    const { list } = await makeFilledList(api, directory, rows, 0)
    const { list: other } = await makeFilledList(api, directory, rows, 0)
    const { data: first } = await api.get<{ id: number }[]>(
      `/mailing_lists/${list.id}/subscribers?per_page=1`
    )
    const middle = Buffer.from(`after:${(first[0]?.id ?? 0) + Math.floor(rows / 2)}`).toString('base64url')
    const figures: SegmentFigures[] = []
    for (const operator of segmentOperators) {
      const { id } = await makeSegment(api, list.id, { operator, other: other.id })
      const meanwhile = await callMeanwhile(api, list.id)
      const began = performance.now()
      const { data: counts } = await api.workbench<StatusCounts>('GET', `/segments/${id}/counts`)
      const counted_seconds = (performance.now() - began) / 1000
      const latencies = await meanwhile.stop()
      const path = `/mailing_lists/${list.id}/subscribers?segment_id=${id}&page_token=`
      figures.push({
        segment: operator,
        members: Object.values(counts).reduce((sum, count) => sum + count, 0),
        counted_seconds,
        first_page_ms: await timeOf(api, 'GET', path),
        middle_page_ms: await timeOf(api, 'GET', path + middle),
        ...latencies
      })
    }
    return figures
  } finally {
    await server.end()
    await rm(directory, { recursive: true, force: true })
  }
}

import type { segmentEndpoints } from '../../src-main/api/segments/endpoints.ts'
import type { Condition } from '../../src-main/api/segments/conditions.ts'
import type { Segment, SegmentSummary } from '../../src-main/api/segments/schema.ts'
import type {
  ReferringSegment,
  segmentCountEndpoints
} from '../../src-main/workbench/segment-counts/endpoints.ts'
import type { windowSegmentEndpoints } from '../../src-main/workbench/segments/endpoints.ts'
import { apiCalls, type RecordVersion, windowCalls } from './client.ts'
import type { StatusCounts } from './mailing-lists.ts'

export type { ReferringSegment, Segment, SegmentSummary }

const { call } = apiCalls<typeof segmentEndpoints>()
/** With all conditions; the v2 API supports only those on other lists. */
const own = windowCalls<typeof windowSegmentEndpoints>()
const counts = windowCalls<typeof segmentCountEndpoints>()

/** A name and the conditions that all must hold. */
export interface NamedClause {
  name: string
  clause: Condition[]
}

/** All segments of a list; a list has a few of them. */
export function fetchSegments(listId: number): Promise<SegmentSummary[]> {
  return call('GET /mailing_lists/:mailing_list_id/segments', { params: { mailing_list_id: listId } })
}

export function fetchSegment(id: number, version?: RecordVersion): Promise<Segment> {
  return call('GET /segments/:id', { params: { id }, version })
}

export function createSegment(listId: number, segment: NamedClause): Promise<Segment> {
  return own.call('POST /mailing_lists/:mailing_list_id/segments', {
    params: { mailing_list_id: listId },
    body: { segmentation_criteria: segment }
  })
}

export function updateSegment(id: number, segment: NamedClause, version?: RecordVersion): Promise<Segment> {
  return own.call('PUT /segments/:id', { params: { id }, body: { segmentation_criteria: segment }, version })
}

export async function deleteSegment(id: number): Promise<void> {
  await call('DELETE /segments/:id', { params: { id } })
}

export function fetchReferringSegments(listId: number): Promise<ReferringSegment[]> {
  return counts.call('GET /mailing_lists/:mailing_list_id/referring_segments', {
    params: { mailing_list_id: listId }
  })
}

export function fetchSegmentCounts(id: number): Promise<StatusCounts> {
  return counts.call('GET /segments/:id/counts', { params: { id } })
}

/** The same for one that is being written. */
export function countClause(listId: number, clause: Condition[]): Promise<StatusCounts> {
  return counts.call('POST /mailing_lists/:mailing_list_id/segment_counts', {
    params: { mailing_list_id: listId },
    body: { clause }
  })
}

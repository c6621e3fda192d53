import type {
  Segment,
  SegmentCondition,
  SegmentInput,
  SegmentOperator,
  SegmentSummary
} from '../../src-main/api/segments/schema.ts'
import type { ReferringSegment } from '../../src-main/workbench/segment-counts.ts'
import { call, callPage, callWorkbench } from './client.ts'
import type { StatusCounts } from './mailing-lists.ts'

export type { ReferringSegment, Segment, SegmentCondition, SegmentOperator, SegmentSummary }

/** All segments of a list; a list has a few of them. */
export async function fetchSegments(listId: number): Promise<SegmentSummary[]> {
  return (await callPage<SegmentSummary>(`/mailing_lists/${listId}/segments`)).data
}

export function fetchSegment(id: number): Promise<Segment> {
  return call(`/segments/${id}`)
}

export function createSegment(listId: number, segment: SegmentInput): Promise<Segment> {
  return call(`/mailing_lists/${listId}/segments`, {
    method: 'POST',
    body: { segmentation_criteria: segment }
  })
}

export function updateSegment(id: number, segment: SegmentInput): Promise<Segment> {
  return call(`/segments/${id}`, { method: 'PUT', body: { segmentation_criteria: segment } })
}

export function deleteSegment(id: number): Promise<null> {
  return call(`/segments/${id}`, { method: 'DELETE' })
}

/** Segments of other lists that have a condition on a list. */
export function fetchReferringSegments(listId: number): Promise<ReferringSegment[]> {
  return callWorkbench(`/mailing_lists/${listId}/referring_segments`)
}

/** How many subscribers are in a stored segment, by status. */
export function fetchSegmentCounts(id: number): Promise<StatusCounts> {
  return callWorkbench(`/segments/${id}/counts`)
}

/** The same for one that is being written. */
export function countClause(listId: number, clause: SegmentCondition[]): Promise<StatusCounts> {
  return callWorkbench(`/mailing_lists/${listId}/segment_counts`, { method: 'POST', body: { clause } })
}

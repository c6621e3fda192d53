import type {
  ExportFormat,
  ExportState,
  SubscriberExport
} from '../../src-main/api/subscriber-exports/schema.ts'
import type { SubscriberStatus } from '../../src-main/api/subscribers/schema.ts'
import { call, callPage, type Page } from './client.ts'

export type { ExportState, SubscriberExport }

export interface NewExport {
  segment_id: number | null
  statuses: SubscriberStatus[]
  /** Left out: all of them. */
  columns?: string[]
  file_format: Partial<ExportFormat>
}

/** The newest hundred. */
export function fetchExports(listId: number): Promise<Page<SubscriberExport>> {
  return callPage(`/mailing_lists/${listId}/subscriber_exports`)
}

export function startExport(listId: number, settings: NewExport): Promise<SubscriberExport> {
  return call(`/mailing_lists/${listId}/subscriber_exports`, {
    method: 'POST',
    body: { subscriber_export: settings }
  })
}

export function actOnExport(id: number, action: 'pause' | 'unpause' | 'cancel'): Promise<SubscriberExport> {
  return call(`/subscriber_exports/${id}/${action}`, { method: 'POST' })
}

export function exportFileAddress(id: number): string {
  return `/ga/api/v2/subscriber_exports/${id}/download`
}

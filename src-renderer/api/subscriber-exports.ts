import type { subscriberExportEndpoints } from '../../src-main/api/subscriber-exports/endpoints.ts'
import type {
  ExportState,
  SubscriberExport,
  SubscriberExportInput
} from '../../src-main/api/subscriber-exports/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import { apiCalls, type Page } from './client.ts'

export type { ExportState, SubscriberExport }

/** Missing columns mean all. */
export type NewExport = Given<typeof SubscriberExportInput>

const { call, page, address } = apiCalls<typeof subscriberExportEndpoints>()

/** The newest hundred. */
export function fetchExports(listId: number): Promise<Page<SubscriberExport>> {
  return page('GET /mailing_lists/:mailing_list_id/subscriber_exports', {
    params: { mailing_list_id: listId }
  })
}

export function startExport(listId: number, settings: NewExport): Promise<SubscriberExport> {
  return call('POST /mailing_lists/:mailing_list_id/subscriber_exports', {
    params: { mailing_list_id: listId },
    body: { subscriber_export: settings }
  })
}

export function actOnExport(id: number, action: 'pause' | 'unpause' | 'cancel'): Promise<SubscriberExport> {
  return call(`POST /subscriber_exports/:id/${action}`, { params: { id } })
}

export function exportFileAddress(id: number): string {
  return address('GET /subscriber_exports/:id/download', { params: { id } })
}

import type { subscriberImportEndpoints } from '../../src-main/api/subscriber-imports/endpoints.ts'
import type {
  FileFormat,
  ImportOutcome,
  ImportState,
  SubscriberImport,
  SubscriberImportInput
} from '../../src-main/api/subscriber-imports/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import { apiCalls } from './client.ts'

export type { FileFormat, ImportOutcome, ImportState, SubscriberImport, SubscriberImportInput }

const { call, address } = apiCalls<typeof subscriberImportEndpoints>()

export function fetchImport(id: number): Promise<SubscriberImport> {
  return call('GET /subscriber_imports/:id', { params: { id } })
}

export function startImport(
  listId: number,
  settings: Given<typeof SubscriberImportInput>
): Promise<SubscriberImport> {
  return call('POST /mailing_lists/:mailing_list_id/subscriber_imports', {
    params: { mailing_list_id: listId },
    body: { subscriber_import: settings }
  })
}

export type ImportAction = 'pause' | 'unpause' | 'cancel'

export function actOnImport(id: number, action: ImportAction): Promise<SubscriberImport> {
  return call(`POST /subscriber_imports/:id/${action}`, { params: { id } })
}

export function logAddress(id: number, log: Exclude<ImportOutcome, 'failed'>): string {
  return address('GET /subscriber_imports/:id/logs/:log', { params: { id, log } })
}

import type { subscriberImportEndpoints } from '../../src-main/api/subscriber-imports/endpoints.ts'
import type {
  FileFormat,
  ImportOutcome,
  ImportState,
  SubscriberImport,
  SubscriberImportInput,
  SubscriberImportSummary
} from '../../src-main/api/subscriber-imports/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import { apiCalls, type Page } from './client.ts'

export type {
  FileFormat,
  ImportOutcome,
  ImportState,
  SubscriberImport,
  SubscriberImportInput,
  SubscriberImportSummary
}

const { call, page, address } = apiCalls<typeof subscriberImportEndpoints>()

/** @param listId null for the imports of every list */
export function fetchImports(listId: number | null): Promise<Page<SubscriberImportSummary>> {
  const query = { scope: 'all', per_page: 200 } as const
  if (listId === null) return page('GET /subscriber_imports', { query })
  return page('GET /mailing_lists/:mailing_list_id/subscriber_imports', {
    params: { mailing_list_id: listId },
    query
  })
}

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

/** Where a log is downloaded. */
export function logAddress(id: number, log: ImportOutcome): string {
  // Failed rows are opened in spreadsheets, which would execute some cells.
  const query = log === 'failed' ? { escape_formulas: true } : {}
  return address('GET /subscriber_imports/:id/logs/:log', { params: { id, log }, query })
}

/** The first part of a log, enough to show some of its rows. */
export async function fetchLogBeginning(address: string, characters: number): Promise<string> {
  const response = await fetch(address)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (reader && response.ok && text.length < characters) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
  }
  await reader?.cancel()
  return text
}

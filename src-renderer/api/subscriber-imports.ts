import type {
  ImportOutcome,
  ImportState,
  SubscriberImport,
  SubscriberImportInput,
  SubscriberImportSummary
} from '../../src-main/api/subscriber-imports/schema.ts'
import { call, callPage, type Page, query } from './client.ts'

export type { ImportOutcome, ImportState, SubscriberImport, SubscriberImportInput, SubscriberImportSummary }

/** @param listId null for the imports of every list */
export function fetchImports(listId: number | null): Promise<Page<SubscriberImportSummary>> {
  const path = listId === null ? '/subscriber_imports' : `/mailing_lists/${listId}/subscriber_imports`
  return callPage(`${path}${query({ scope: 'all', per_page: 200 })}`)
}

export function fetchImport(id: number): Promise<SubscriberImport> {
  return call(`/subscriber_imports/${id}`)
}

export function startImport(
  listId: number,
  settings: Partial<SubscriberImportInput> & Pick<SubscriberImportInput, 'column_mapping' | 'file_source'>
): Promise<SubscriberImport> {
  return call(`/mailing_lists/${listId}/subscriber_imports`, {
    method: 'POST',
    body: { subscriber_import: settings }
  })
}

export type ImportAction = 'pause' | 'unpause' | 'cancel'

export function actOnImport(id: number, action: ImportAction): Promise<SubscriberImport> {
  return call(`/subscriber_imports/${id}/${action}`, { method: 'POST' })
}

/** Where a log is downloaded. */
export function logAddress(id: number, log: ImportOutcome): string {
  // Failed rows are opened in spreadsheets, which would execute some cells.
  return `/ga/api/v2/subscriber_imports/${id}/logs/${log}${log === 'failed' ? '?escape_formulas=1' : ''}`
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

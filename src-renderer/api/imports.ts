import type { dryRunEndpoints } from '../../src-main/workbench/dry-runs/endpoints.ts'
import type {
  AddingImport,
  FailedRow,
  FailedRowsAnswer,
  importEndpoints,
  ImportLinks,
  ListedImport
} from '../../src-main/workbench/imports/endpoints.ts'
import type { Static } from 'typebox'
import { type Page, windowCalls } from './client.ts'
import type { SubscriberImport } from './subscriber-imports.ts'

export type { AddingImport, FailedRow, ImportLinks, ListedImport }
export type FailedRows = Static<typeof FailedRowsAnswer>

const { address, call, page } = windowCalls<typeof importEndpoints>()
const dryRuns = windowCalls<typeof dryRunEndpoints>()

export interface FailedRowsQuestion {
  /** From 0. */
  page: number
  per_page: number
  /** null = any. */
  reason: string | null
}

/** @param listId null for the imports of every list */
export function fetchImports(listId: number | null): Promise<Page<ListedImport>> {
  return page('GET /subscriber_imports', { query: listId === null ? {} : { mailing_list_id: listId } })
}

/** Imports that added subscribers to a list, newest first. */
export function fetchImportsThatAdded(listId: number): Promise<AddingImport[]> {
  return call('GET /mailing_lists/:mailing_list_id/imports_that_added', {
    params: { mailing_list_id: listId }
  })
}

export function fetchImportLinks(id: number): Promise<ImportLinks> {
  return call('GET /subscriber_imports/:id/links', { params: { id } })
}

export function fetchFailedRows(id: number, question: FailedRowsQuestion): Promise<FailedRows> {
  return page('GET /subscriber_imports/:id/failed_rows', { params: { id }, query: queryOf(question) })
}

/** The address of the failed rows as a file with the original column names. */
export function failedRowsAddress(id: number): string {
  return address('GET /subscriber_imports/:id/failed_rows_file', { params: { id } })
}

export function fetchFailedRowsOfDryRun(id: string, question: FailedRowsQuestion): Promise<FailedRows> {
  return dryRuns.page('GET /dry_runs/:id/failed_rows', { params: { id }, query: queryOf(question) })
}

function queryOf({ reason, ...part }: FailedRowsQuestion) {
  return { ...part, ...(reason !== null && { reason }) }
}

/** Imports corrected rows as the file was imported that they come from. */
export function importCorrections(
  id: number,
  rows: { place: number; cells: string[] }[]
): Promise<SubscriberImport> {
  return call('POST /subscriber_imports/:id/corrections', { params: { id }, body: { rows } })
}

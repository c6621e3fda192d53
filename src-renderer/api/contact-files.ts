import type {
  FileAnalysis,
  Finding,
  ColumnAnalysis,
  ReadingChoices
} from '../../src-main/contact-files/analysis/schema.ts'
import type { Reading, ReadingColumn } from '../../src-main/contact-files/schema.ts'
import type { Given } from '../../src-main/http/endpoint.ts'
import type { fileAnalysisEndpoints, RowPreview } from '../../src-main/workbench/file-analyses/endpoints.ts'
import type { SubscriberImport } from './subscriber-imports.ts'
import { windowCalls } from './client.ts'

export type { ColumnAnalysis, FileAnalysis, Finding, Reading, ReadingChoices, ReadingColumn, RowPreview }

const files = windowCalls<typeof fileAnalysisEndpoints>()
type Endpoints = (typeof fileAnalysisEndpoints)['endpoints']

/** Returns how an upload should be read, and what is worth reporting. */
export function analyzeFile(
  listId: number,
  filename: string,
  choices: ReadingChoices,
  /** A description of how another file of its kind is read, as it stands in a file of JSON. */
  saved?: unknown
): Promise<FileAnalysis> {
  return files.call('POST /mailing_lists/:mailing_list_id/file_analyses', {
    params: { mailing_list_id: listId },
    body: { filename, choices, ...(saved !== undefined && { saved: saved as Reading }) }
  })
}

/** Rows of a file as an import would read them. */
export function previewRows(listId: number, reading: Reading, rows: string[][]): Promise<RowPreview> {
  return files.call('POST /mailing_lists/:mailing_list_id/row_previews', {
    params: { mailing_list_id: listId },
    body: { reading, rows }
  })
}

export type NewFileImport = Given<Endpoints['POST /mailing_lists/:mailing_list_id/file_imports']['body']>

/** Creates the new fields and the import at once, or neither. */
export function importFile(listId: number, input: NewFileImport): Promise<SubscriberImport> {
  return files.call('POST /mailing_lists/:mailing_list_id/file_imports', {
    params: { mailing_list_id: listId },
    body: input
  })
}

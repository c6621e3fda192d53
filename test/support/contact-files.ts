import type { CustomFieldType } from '../../src-main/api/custom-fields/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { FileAnalysis, ReadingChoices } from '../../src-main/contact-files/analysis/schema.ts'
import type { Reading, ReadingColumn } from '../../src-main/contact-files/schema.ts'
import type { Answer, Client } from './client.ts'
import type { StartedApplication } from './application.ts'

/** A column of a file that goes somewhere as it is. */
export function readingColumn(target: string | null, changes: Partial<ReadingColumn> = {}): ReadingColumn {
  return {
    header: target ?? '',
    target,
    fills_in: null,
    new_field_type: null,
    status: null,
    date_order: 'mdy',
    mixed_dates: 'one_order',
    unfit: 'fail',
    option_separator: ';',
    had_values: true,
    ...changes
  }
}

/** The reading of a CSV file with a header and these columns, without tidying. */
export function plainReading(targets: (string | null)[], changes: Partial<Reading> = {}): Reading {
  return {
    version: 1,
    file: {
      kind: 'csv',
      entry: null,
      sheet: null,
      character_set: 'utf-8',
      csv_field_separator: ',',
      csv_field_enclosure: '"',
      encloses_lines: false
    },
    header_line: 1,
    leaves_out_totals: false,
    removes_text_marks: false,
    unescapes_formulas: false,
    tidies_values: false,
    several_addresses: 'first',
    all_opted_out: false,
    opted_out: 'as_said',
    blank_cells: 'clear',
    columns: targets.map((target) => readingColumn(target)),
    corrected_rows: [],
    ...changes
  }
}

export function newFieldColumn(name: string, new_field_type: CustomFieldType): ReadingColumn {
  return readingColumn(name, { new_field_type })
}

/** Puts a file into the upload directory. @returns its name there */
export async function upload(
  api: Client,
  name: string,
  content: string | Uint8Array<ArrayBuffer>
): Promise<string> {
  const response = await api.raw(`/app/v1/uploads/${encodeURIComponent(name)}`, {
    method: 'PUT',
    body: content
  })
  return ((await response.json()) as { data: { filename: string } }).data.filename
}

/** Analyzes a file like the wizard. */
export async function analysisOf(
  api: Client,
  listId: number,
  content: string | Uint8Array<ArrayBuffer>,
  { name = 'people.csv', choices = {} }: { name?: string; choices?: ReadingChoices } = {}
): Promise<Answer<FileAnalysis> & { filename: string }> {
  const filename = await upload(api, name, content)
  const answer = await api.workbench<FileAnalysis>('POST', `/mailing_lists/${listId}/file_analyses`, {
    filename,
    choices
  })
  return { ...answer, filename }
}

/** Imports a file as a description of it says, and waits for the end. */
export async function importAsRead(
  { api }: Pick<StartedApplication, 'api'>,
  listId: number,
  filename: string,
  reading: Reading,
  options: Record<string, unknown> = {}
): Promise<SubscriberImport> {
  const { data, error_message } = await api.workbench<SubscriberImport>(
    'POST',
    `/mailing_lists/${listId}/file_imports`,
    { filename, reading, ...options }
  )
  if (error_message !== null) throw new Error(error_message)
  return api.imported(data.id)
}

/** Imports a file by accepting what the wizard proposes. */
export async function importAsProposed(
  started: Pick<StartedApplication, 'api'>,
  listId: number,
  content: string | Uint8Array<ArrayBuffer>,
  options: Record<string, unknown> = {}
): Promise<SubscriberImport> {
  const { data, filename, error_message } = await analysisOf(started.api, listId, content)
  if (error_message !== null) throw new Error(error_message)
  return importAsRead(started, listId, filename, data.reading, options)
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createInterface } from 'node:readline/promises'
import type { MailingList } from '../api/mailing-lists/schema.ts'
import type { SubscriberImport } from '../api/subscriber-imports/schema.ts'
import { formatCount } from '../base/figures.ts'
import { messageOf } from '../base/errors.ts'
import type { FileAnalysis, Finding } from '../contact-files/analysis/schema.ts'
import type { Reading, ReadingColumn } from '../contact-files/schema.ts'
import { answeringCommand, commonUsage, type Printed } from './command.ts'
import { type LocalApplication, withApplication } from './local-application.ts'

// `listwright import FILE`: the proposal of the import wizard on a terminal.

const usage = `Usage: listwright import FILE --list NAME [--accept] [--reading FILE.json] [--update]
                          [--save-reading FILE.json]

Finds out how a contact file (.xlsx, .ods, .csv, .tsv, .txt, .vcf, also in .zip or .gz) is best read, shows the
proposal, and imports it once you accept it. A list that does not exist is created.

${commonUsage}  --accept                  import without asking
  --reading FILE.json       read the file as a saved description says, and import without asking
  --save-reading FILE.json  write the description of how the file is read
  --update                  also update subscribers who are on the list already

Exits with status 0 when every row was imported, 2 when rows failed, 1 on failure.
`

const options = {
  list: { type: 'string' },
  accept: { type: 'boolean' },
  reading: { type: 'string' },
  'save-reading': { type: 'string' },
  update: { type: 'boolean' }
} as const

export const importCommand = answeringCommand(usage, options, async (values, positionals) => {
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) {
    throw new Error('import needs exactly one file; see listwright import --help')
  }
  if (!existsSync(file)) throw new Error(`There is no file ${file}`)
  const listName = values.list?.trim() ?? ''
  if (listName === '') throw new Error('import needs --list with the name of a list')
  const saved = values.reading === undefined ? undefined : readingIn(values.reading)
  return withApplication(values['data-dir'], 'imports', async (application) => {
    const filename = await application.upload(file)
    const list = await listNamed(application, listName)
    let isWanted = false
    try {
      const analysis = await analyze(application, list.id, filename, saved)
      if (values['save-reading'] !== undefined) {
        writeFileSync(values['save-reading'], `${JSON.stringify(analysis.reading, null, 2)}\n`)
      }
      if (!values.json) process.stdout.write(`${proposalText(file, list, analysis)}\n`)
      isWanted = values.accept === true || saved !== undefined || (await asksToImport(values.json))
      if (!isWanted) return proposed(list, analysis)
      const updates = values.update === true
      return await importedFile(application, { list, filename, analysis, updates, isQuiet: values.json })
    } finally {
      // A list that was created only to analyze the file is removed again.
      if (list.isNew && !isWanted) await deleteList(application, list.id)
    }
  })
})

function readingIn(path: string): unknown {
  if (!existsSync(path)) throw new Error(`--reading must name a file; there is no file ${path}`)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    throw new Error(`--reading must name a file of JSON; ${path} is none: ${messageOf(error)}`, {
      cause: error
    })
  }
}

interface ListReference {
  id: number
  name: string
  isNew: boolean
}

async function listNamed({ call, callApi }: LocalApplication, name: string): Promise<ListReference> {
  const lists = await call<{ id: number; name: string }[]>('GET', '/mailing_lists')
  const found = lists.find((list) => list.name.toLowerCase() === name.toLowerCase())
  if (found) return { ...found, isNew: false }
  const created = await callApi<MailingList>('POST', '/mailing_lists', { mailing_list: { name } })
  return { id: created.id, name: created.name, isNew: true }
}

async function deleteList({ callApi }: LocalApplication, id: number): Promise<void> {
  const { delete_confirmation_code: code } = await callApi<{ delete_confirmation_code: string }>(
    'GET',
    `/mailing_lists/${id}/delete_confirmation_code`
  )
  await callApi('DELETE', `/mailing_lists/${id}/confirmed/${code}`)
}

function analyze(
  { call }: LocalApplication,
  listId: number,
  filename: string,
  saved: unknown
): Promise<FileAnalysis> {
  return call<FileAnalysis>('POST', `/mailing_lists/${listId}/file_analyses`, {
    filename,
    ...(saved !== undefined && { saved })
  })
}

/** Asks on a terminal; programs must pass --accept. */
async function asksToImport(isQuiet: boolean): Promise<boolean> {
  if (isQuiet || !process.stdin.isTTY || !process.stdout.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Import it like this? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}

function proposed(list: ListReference, { reading, findings }: FileAnalysis): Printed {
  return {
    json: { list: list.isNew ? null : list.id, reading, findings },
    text: 'Nothing was imported. To import it like this, run the command again with --accept.'
  }
}

interface FileImport {
  list: ListReference
  filename: string
  analysis: FileAnalysis
  updates: boolean
  isQuiet: boolean
}

async function importedFile(
  { call, callApi }: LocalApplication,
  { list, filename, analysis, updates, isQuiet }: FileImport
): Promise<Printed> {
  const { id } = await call<SubscriberImport>('POST', `/mailing_lists/${list.id}/file_imports`, {
    filename,
    reading: analysis.reading,
    ...overwriteSettings(analysis, updates)
  })
  const done = await endOf(callApi, id, isQuiet)
  if (done.state !== 'finished') {
    throw new Error(done.error_message ?? `The import ended: ${done.state}`)
  }
  const { failed } = done.stats.subscribers
  return {
    json: { import: id, stats: done.stats },
    text: outcomeText(done),
    status: failed > 0 ? 2 : 0
  }
}

function overwriteSettings(
  { findings }: FileAnalysis,
  updates: boolean
): { overwrite?: boolean; overwrite_what?: { custom_fields: boolean; status: boolean } } {
  const isOfOptedOut = findings.some(({ rule }) => rule === 'only_opted_out')
  if (!updates && !isOfOptedOut) return {}
  return { overwrite: true, overwrite_what: { custom_fields: updates, status: true } }
}

const waitTime = 150

async function endOf(
  callApi: LocalApplication['callApi'],
  id: number,
  isQuiet: boolean
): Promise<SubscriberImport> {
  const bar = isQuiet || !process.stderr.isTTY ? null : new ProgressBar()
  for (;;) {
    const current = await callApi<SubscriberImport>('GET', `/subscriber_imports/${id}`)
    bar?.show(current)
    if (current.finished_at !== null || current.state === 'paused') {
      bar?.end()
      return current
    }
    await pause(waitTime)
  }
}

class ProgressBar {
  readonly #begun = Date.now()

  show({ stats: { number_of_records: total, records_imported: done } }: SubscriberImport): void {
    const part = total ? done / total : 0
    const width = 30
    const filled = '#'.repeat(Math.round(part * width)).padEnd(width, '.')
    const seconds = (Date.now() - this.#begun) / 1000
    const speed = seconds > 1 ? `, ${formatCount(Math.round(done / seconds))} rows/s` : ''
    process.stderr.write(`\r[${filled}] ${Math.round(part * 100)} % (${formatCount(done)} rows${speed})  `)
  }

  end(): void {
    process.stderr.write('\n')
  }
}

function proposalText(
  file: string,
  list: ListReference,
  { kind, rows_read, is_complete, reading, findings }: FileAnalysis
): string {
  const rows = is_complete
    ? `${formatCount(rows_read)} rows`
    : `${formatCount(rows_read)} rows looked at so far`
  return [
    `${file} (${kind}, ${rows}) goes into the ${list.isNew ? 'new ' : ''}list "${list.name}":`,
    ...reading.columns.map((column, index) => `  ${columnText(column, index)}`),
    ...findings.flatMap((finding) => noteText(finding, reading) ?? []).map((note) => `* ${note}`)
  ].join('\n')
}

function columnText(
  { header, target, fills_in, new_field_type, status, date_order }: ReadingColumn,
  index: number
): string {
  const name = (header === '' ? `Column ${index + 1}` : header.replaceAll('\n', ' ')).padEnd(30)
  const dates =
    date_order === null ? '' : `, dates ${date_order === 'mdy' ? 'month/day/year' : 'day/month/year'}`
  const fills = fills_in === null ? '' : `, used where ${fills_in} is blank`
  if (target === null) return `${name} ${status ? 'says who may be written to' : 'left out'}${fills}`
  return `${name} -> ${target}${new_field_type ? ` (new field, ${new_field_type}${new_field_type === 'date' ? dates : ''})` : ''}${fills}`
}

/** Words a finding about a file; null if the columns show it already. */
function noteText({ rule, column, count, values }: Finding, { columns }: Reading): string | null {
  const name = column === null ? '' : `"${columns[column]?.header ?? ''}"`
  const examples = values.join(', ')
  switch (rule) {
    case 'no_rows':
      return 'The file holds no rows.'
    case 'opted_out':
      return `${formatCount(count)} of ${values[1] ?? ''} people seem to have opted out ("${values[0] ?? ''}"); they are imported as unsubscribed.`
    case 'only_opted_out':
      return `Everyone in this file seems to have opted out ("${values[0] ?? ''}").`
    case 'totals_left_out':
      return `Line ${count} holds totals and is left out: ${examples}`
    case 'lost_digits':
      return `Digits of ${name} were lost in a spreadsheet: ${examples}`
    case 'several_addresses':
      return `${formatCount(count)} cells hold several addresses, of which the first is used: ${examples}`
    case 'ambiguous_dates':
      return `${formatCount(count)} dates in ${name} can be read in two ways and are not guessed: ${examples}`
    case 'mixed_dates':
      return `${name} mixes both orders of day and month; ambiguous dates are left blank: ${examples}`
    case 'unfit_values':
      return `${formatCount(count)} values in ${name} do not fit its type and are left blank: ${examples}`
    case 'character_set_unsure':
      return 'The character set could not be told for certain: check the names above.'
    case 'other_sheets':
      return `The workbook has ${count} sheets; "${values[0] ?? ''}" is read.`
    case 'other_files':
      return `The archive holds ${count} files; "${values[0] ?? ''}" is read.`
    default:
      return null
  }
}

function outcomeText({ id, stats: { subscribers } }: SubscriberImport): string {
  const counts = Object.entries(subscribers)
    .filter(([outcome, count]) => count > 0 || outcome === 'added')
    .map(([outcome, count]) => `${outcome.replaceAll('_', ' ')} ${formatCount(count)}`)
  return `Import ${id} finished: ${counts.join(', ')}`
}

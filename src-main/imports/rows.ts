import { joinRefusals } from '../base/errors.ts'
import { type Complaint, complaint, type Refusal, refusal, refusalAt } from '../base/refusal.ts'
import { isIP } from 'node:net'
import { jsonOf } from '../http/json-text.ts'
import {
  type FieldDefinition,
  fieldNamed,
  readRequiredValue,
  readValues,
  type StoredValue,
  ValueFault
} from '../api/custom-fields/rules.ts'
import { type ImportColumn, isImportColumn } from '../api/subscriber-imports/rules.ts'
import { emailComplaint, isEmail, subscriberKeys } from '../api/subscribers/rules.ts'
import { subscriberStatuses } from '../api/subscribers/schema.ts'
import { dateExamples, timeOfWall, parseDate } from '../base/dates.ts'
import { widthComplaint } from '../api/subscriber-imports/width.ts'
import type { ImportBatch, RowPlan } from './plan.ts'

type ReservedColumn = Exclude<ImportColumn, 'email'>

interface FieldColumn {
  index: number
  field: FieldDefinition
  /** `"<field id>":`, the beginning of the value's entry in the JSON. */
  prefix: string
  /** The entry's place: ids ascend, as in what JSON.stringify writes. */
  place: number
  /** The import's default for a blank cell. */
  whenBlank: StoredValue | null
}

/** Values of reserved columns as the subscribers table keeps them; null = the row says nothing. */
interface Attributes {
  status: string | null
  confirmed: number | null
  format: string | null
  subscribeTime: number | null
  subscribeIp: string | null
  removeTime: number | null
  removeIp: string | null
}

/** Returns why new subscribers fail if the file lacks a required field, or null. */
export function missingRequiredFields(plan: Pick<RowPlan, 'fields' | 'settings'>): Refusal | null {
  const mapped = new Set(mappedFieldIds(plan))
  const defaults = readValues(plan.fields, plan.settings.default_custom_fields, () => undefined)
  const missing = plan.fields.filter(
    (field) =>
      field.required &&
      field.type !== 'select_multiple_checkboxes' &&
      !mapped.has(field.id) &&
      (defaults.get(field.id) ?? null) === null
  )
  return missing.length > 0
    ? joinRefusals(missing.map(({ name }) => refusal('blank', { field: name })))
    : null
}

/** The custom fields that a column of the file fills. */
export function mappedFieldIds({ fields, settings }: Pick<RowPlan, 'fields' | 'settings'>): number[] {
  return settings.column_mapping.flatMap((name) => {
    const field = name && !isImportColumn(name) ? fieldNamed(fields, name) : undefined
    return field ? [field.id] : []
  })
}

/** Checks the rows of a file and collects them into batches: the mapping and validation of an import. */
export class RowReader {
  readonly #plan: RowPlan
  readonly #email: number
  readonly #reserved: [ReservedColumn, number][]
  readonly #fields: FieldColumn[]
  readonly #columns: number
  /** The entries of a row's JSON, '' for none. Those of defaults without a column are the same in each row. */
  readonly #entries: string[]
  readonly #primaryKey: FieldDefinition | undefined

  constructor(plan: RowPlan) {
    this.#plan = plan
    const { column_mapping: mapping, default_custom_fields } = plan.settings
    const defaults = readValues(plan.fields, default_custom_fields, () => undefined)
    this.#columns = mapping.length
    this.#email = mapping.indexOf('email')
    this.#reserved = mapping.flatMap((name, index): [ReservedColumn, number][] =>
      name && isImportColumn(name) && name !== 'email' ? [[name, index]] : []
    )
    const mapped = mapping.flatMap((name, index) => {
      const field = name && !isImportColumn(name) ? fieldNamed(plan.fields, name) : undefined
      return field ? [{ index, field }] : []
    })
    const ids = new Set([...mapped.map(({ field }) => field.id), ...defaults.keys()])
    const ascending = [...ids].sort((a, b) => a - b)
    this.#entries = ascending.map((id) => {
      const value = mapped.some(({ field }) => field.id === id) ? null : (defaults.get(id) ?? null)
      return value === null ? '' : `"${id}":${JSON.stringify(value)}`
    })
    this.#fields = mapped.map(({ index, field }) => ({
      index,
      field,
      prefix: `"${field.id}":`,
      place: ascending.indexOf(field.id),
      whenBlank: defaults.get(field.id) ?? null
    }))
    this.#primaryKey = plan.fields.find(({ id }) => id === plan.primaryKeyFieldId)
  }

  newBatch(): ImportBatch {
    const batch: ImportBatch = { emails: [], customFields: [] }
    if (this.#primaryKey) batch.alternateKeys = []
    for (const [name] of this.#reserved) batch[columnOfBatch[name]] = []
    return batch
  }

  /**
   * Adds a row to the batch.
   * @returns null, or why the row failed; it then only keeps its place
   */
  add(batch: ImportBatch, row: readonly string[], malformed: Refusal | null): Refusal | null {
    const fault = malformed ?? widthComplaint(row, this.#columns) ?? this.#addChecked(batch, row)
    if (fault !== null) addPlaceholder(batch)
    return fault
  }

  #addChecked(batch: ImportBatch, row: readonly string[]): Refusal | null {
    const email = (row[this.#email] ?? '').trim()
    if (!isEmail(email)) return refusalAt('email', emailComplaint(email))
    const values = this.#readFields(row)
    if (typeof values !== 'string') return values
    const attributes = this.#reserved.length > 0 ? this.#readReserved(row) : null
    if (attributes && 'rule' in attributes) return attributes
    if (this.#primaryKey) {
      const { alternateKey } = subscriberKeys(
        this.#primaryKey,
        email,
        JSON.parse(values) as Record<string, StoredValue>
      )
      if (!alternateKey) return refusal('blank_primary_key', { field: this.#primaryKey.name })
      batch.alternateKeys?.push(alternateKey)
    }
    batch.emails.push(email)
    batch.customFields.push(values)
    if (attributes) pushAttributes(batch, attributes)
    return null
  }

  #readFields(row: readonly string[]): string | Refusal {
    const order = this.#plan.settings.file_format.date_format
    for (const { index, field, prefix, place, whenBlank } of this.#fields) {
      const cell = row[index] ?? ''
      const value = readRequiredValue(field, cell === '' ? whenBlank && shown(field, whenBlank) : cell, order)
      if (value instanceof ValueFault) return refusalAt(field.name, value.complaint)
      this.#entries[place] = value === null ? '' : prefix + jsonOf(value)
    }
    let entries = ''
    for (const entry of this.#entries) if (entry !== '') entries += (entries === '' ? '{' : ',') + entry
    return `${entries || '{'}}`
  }

  #readReserved(row: readonly string[]): Attributes | Refusal {
    const attributes: Attributes = { ...nothing }
    for (const [name, index] of this.#reserved) {
      const cell = (row[index] ?? '').trim()
      if (cell === '') continue
      const fault = this.#readCell(attributes, name, cell)
      if (fault !== null) return refusalAt(name, fault)
    }
    return attributes
  }

  #readCell(attributes: Attributes, name: ReservedColumn, cell: string): Complaint | null {
    const text = cell.toLowerCase()
    switch (name) {
      case 'status':
        if (!(subscriberStatuses as readonly string[]).includes(text)) {
          return complaint('not_one_of', { values: subscriberStatuses, value: cell })
        }
        attributes.status = text
        return null
      case 'confirmed':
        if (!/^(true|false|1|0|yes|no)$/.test(text)) return complaint('not_boolean', { value: cell })
        attributes.confirmed = /^(true|1|yes)$/.test(text) ? 1 : 0
        return null
      case 'email_format':
        if (!/^(html|text|plaintext|both)$/.test(text)) return complaint('not_format', { value: cell })
        attributes.format = text === 'text' ? 'plaintext' : text
        return null
      case 'subscribe_time':
      case 'remove_time': {
        const { file_format } = this.#plan.settings
        const wall = parseDate(cell, file_format.date_format)
        if (!wall) return complaint('not_date', { ...dateExamples(file_format.date_format), value: cell })
        const time = timeOfWall(wall, this.#plan.timeZone)
        if (time === null) return complaint('not_in_years', { value: cell })
        if (name === 'subscribe_time') attributes.subscribeTime = time
        else attributes.removeTime = time
        return null
      }
      case 'subscribe_ip':
      case 'remove_ip':
        if (isIP(cell) === 0) return complaint('not_ip_address', { value: cell })
        if (name === 'subscribe_ip') attributes.subscribeIp = cell
        else attributes.removeIp = cell
        return null
    }
  }
}

/** Defaults are kept as stored values; options go back to their names to be read like a cell. */
function shown(field: FieldDefinition, value: StoredValue): unknown {
  const nameOf = (id: number): string | undefined => field.options.find((option) => option.id === id)?.name
  if (Array.isArray(value)) return value.map(nameOf)
  return field.type.startsWith('select_') ? nameOf(value as number) : value
}

type OptionalColumn = Exclude<keyof ImportBatch, 'emails' | 'emailKeys' | 'customFields' | 'alternateKeys'>

const columnOfBatch: Record<ReservedColumn, OptionalColumn> = {
  status: 'statuses',
  confirmed: 'confirmed',
  email_format: 'formats',
  subscribe_time: 'subscribeTimes',
  subscribe_ip: 'subscribeIps',
  remove_time: 'removeTimes',
  remove_ip: 'removeIps'
}

function pushAttributes(batch: ImportBatch, attributes: Attributes): void {
  batch.statuses?.push(attributes.status)
  batch.confirmed?.push(attributes.confirmed)
  batch.formats?.push(attributes.format)
  batch.subscribeTimes?.push(attributes.subscribeTime)
  batch.subscribeIps?.push(attributes.subscribeIp)
  batch.removeTimes?.push(attributes.removeTime)
  batch.removeIps?.push(attributes.removeIp)
}

const nothing: Attributes = {
  status: null,
  confirmed: null,
  format: null,
  subscribeTime: null,
  subscribeIp: null,
  removeTime: null,
  removeIp: null
}

function addPlaceholder(batch: ImportBatch): void {
  batch.emails.push('')
  batch.customFields.push('')
  batch.alternateKeys?.push('')
  pushAttributes(batch, nothing)
}

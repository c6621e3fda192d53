import { type FieldDefinition, presentValue, type StoredValues } from '../api/custom-fields/rules.ts'
import type { CustomFieldType } from '../api/custom-fields/schema.ts'
import type { Existing, OverwrittenValues } from './import-batch.ts'

/** Changes of one field's values of existing subscribers. */
export interface FieldChange {
  /** The custom field, or status, confirmed or email_format. */
  name: string
  /** null = no custom field */
  type: CustomFieldType | null
  /** Subscribers whose value would change. */
  count: number
  /** A few of them, with their values as the API has them; null = none. */
  examples: { email: string; before: unknown; after: unknown }[]
}

const maxExamples = 3

/** Collects, per field, the changes that an import would make to existing subscribers. */
export class ValueChanges {
  unchanged = 0
  readonly #fields: ReadonlyMap<string, FieldDefinition>
  readonly #changes = new Map<string, FieldChange>()

  constructor(fields: readonly FieldDefinition[]) {
    this.#fields = new Map(fields.map((field) => [String(field.id), field]))
  }

  /** @param after null = nothing differs */
  add(email: string, before: Existing, after: OverwrittenValues | null): void {
    if (after === null) {
      this.unchanged++
      return
    }
    const { status, confirmed, email_format } = before
    if (after.status !== status) this.#add('status', null, email, status, after.status)
    if (after.confirmed !== confirmed) {
      const truth = (value: number | null): boolean | null => (value === null ? null : value === 1)
      this.#add('confirmed', null, email, truth(confirmed), truth(after.confirmed))
    }
    if (after.email_format !== email_format)
      this.#add('email_format', null, email, email_format, after.email_format)
    if (after.custom_fields !== before.custom_fields)
      this.#compareFields(email, before.custom_fields, after.custom_fields)
  }

  #compareFields(email: string, textBefore: string, textAfter: string): void {
    const before = JSON.parse(textBefore) as StoredValues
    const after = JSON.parse(textAfter) as StoredValues
    for (const id of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const field = this.#fields.get(id)
      if (!field || JSON.stringify(before[id]) === JSON.stringify(after[id])) continue
      this.#add(
        field.name,
        field.type,
        email,
        presentValue(field, before[id]),
        presentValue(field, after[id])
      )
    }
  }

  #add(name: string, type: CustomFieldType | null, email: string, before: unknown, after: unknown): void {
    const key = `${type === null ? 'reserved' : 'field'} ${name}`
    const change: FieldChange = this.#changes.get(key) ?? { name, type, count: 0, examples: [] }
    change.count++
    if (change.examples.length < maxExamples) change.examples.push({ email, before, after })
    this.#changes.set(key, change)
  }

  get byField(): FieldChange[] {
    return [...this.#changes.values()].sort((a, b) => b.count - a.count)
  }
}

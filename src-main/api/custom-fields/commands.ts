import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import type { Dependency } from '../../http/dependencies.ts'
import { ApiError, Faults, notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { hasSubscribers, mailingListById } from '../mailing-lists/queries.ts'
import { isBeingImported } from '../subscriber-imports/queries.ts'
import { importColumns } from '../subscriber-imports/rules.ts'
import { dependenciesOf } from './dependency-queries.ts'
import { fieldById, fieldsNamed } from './queries.ts'
import { segmentsNaming } from '../segments/uses.ts'
import { type LostValues, useSince } from './values-in-use.ts'
import { attributesFor, type FieldDefinition, hasOptions, interchangeableTypes } from './rules.ts'
import type {
  CustomFieldChanges,
  CustomFieldInput,
  CustomFieldType,
  OptionInput,
  TypedAttributes
} from './schema.ts'

export const customFieldTables: RecordTables = {
  entity: 'custom_field',
  table: 'custom_fields',
  parts: [{ table: 'custom_field_options', where: 'custom_field_id = :id' }]
}

interface CreateInput {
  organizationId: number
  /** null = global */
  mailingListId: number | null
  field: CustomFieldInput
}

/**
 * Creates a field of a list or of the organization.
 * @returns its definition
 */
const createCustomField: Command<CreateInput, FieldDefinition> = async (context, input) => {
  const { organizationId, mailingListId, field } = input
  if (mailingListId !== null) await mailingListById(context.db, organizationId, mailingListId)
  const faults = new Faults()
  await checkName(context, organizationId, mailingListId, field.name, null, faults)
  checkAttributes(field, faults)
  checkOptions(field.options ?? [], hasOptions(field.field_type), faults)
  faults.throwIfAny()
  const { id } = await context.db
    .insertInto('custom_fields')
    .values({
      organization_id: organizationId,
      mailing_list_id: mailingListId,
      name: field.name.trim(),
      name_key: field.name.trim().toLowerCase(),
      field_type: field.field_type,
      required: field.required ? 1 : 0,
      instructions: field.instructions ?? null,
      attributes: JSON.stringify(attributesFor(field.field_type, field)),
      created_at: context.now,
      updated_at: context.now,
      deleted_at: null
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (hasOptions(field.field_type)) await saveOptions(context, id, [], field.options ?? [])
  recordOne(context, 'custom_field', 'create', { organizationId, mailingListId }, id)
  return reread(context, organizationId, id)
}

interface UpdateInput extends FieldInput {
  changes: CustomFieldChanges
  /** See refuseStrandedValues. */
  unusedSince?: number
}

const updateCustomField: Command<UpdateInput, FieldDefinition> = async (context, input) => {
  const { organizationId, id, changes } = input
  const field = await fieldOfPath(context, input)
  const next: CustomFieldInput = {
    ...field.attributes,
    name: field.name,
    field_type: field.type,
    required: field.required,
    instructions: field.instructions,
    ...changes
  }
  const faults = new Faults()
  await checkName(context, organizationId, field.mailingListId, next.name, id, faults)
  checkAttributes(next, faults)
  if (changes.options) checkOptions(changes.options, hasOptions(next.field_type), faults)
  faults.throwIfAny()
  await refuseStrandedValues(context, field, next, changes.options, input.unusedSince ?? null)
  const owner = { organizationId, mailingListId: field.mailingListId }
  await recordEdit(context, customFieldTables, owner, id, async () => {
    await context.db
      .updateTable('custom_fields')
      .set({
        name: next.name.trim(),
        name_key: next.name.trim().toLowerCase(),
        field_type: next.field_type,
        required: next.required ? 1 : 0,
        instructions: next.instructions ?? null,
        attributes: JSON.stringify(attributesFor(next.field_type, next)),
        updated_at: context.now
      })
      .where('id', '=', id)
      .execute()
    if (changes.options) await saveOptions(context, id, field.options, changes.options)
  })
  return reread(context, organizationId, id)
}

interface FieldInput {
  organizationId: number
  /** The list of the path; null on the route without one. */
  mailingListId: number | null
  id: number
}

interface DeleteInput extends FieldInput {
  /** The end of the change log when no use of the field was found. */
  unusedSince: number
}

/**
 * Marks a field deleted. Its values stay but are no longer shown.
 * @throws ApiError validation_failed with data.dependencies if other records need it
 * (docs/api.md, "Custom fields")
 */
const deleteCustomField: Command<DeleteInput, void> = async (context, input) => {
  const field = await fieldOfPath(context, input)
  refuseWhileUsed(await dependenciesOf(context.db, field, input.unusedSince))
  await recordDeletion(context, customFieldTables, field, field, () =>
    context.db
      .updateTable('custom_fields')
      .set({ deleted_at: context.now, updated_at: context.now })
      .where('id', '=', field.id)
      .execute()
  )
}

/** @throws ApiError validation_failed naming what uses a field */
export function refuseWhileUsed(dependencies: Dependency[]): void {
  if (dependencies.length === 0) return
  // docs/api.md, "Custom fields": clients compare the message, and find the records in the data.
  throw new ApiError('validation_failed', refusal('custom_field_used'), {
    dependencies: dependencies.map(({ type, id }) => ({ type, id }))
  })
}

/**
 * Turns a list's field into a global field; its values stay.
 * @returns its definition
 */
const promoteCustomField: Command<Omit<FieldInput, 'mailingListId'>, FieldDefinition> = async (
  context,
  { organizationId, id }
) => {
  const field = await fieldById(context.db, organizationId, id)
  if (!field) throw notFound('custom field', id)
  if (field.mailingListId === null)
    throw validationFailed(refusal('global_already', { field: 'custom_field_id', id }))
  const others = (await fieldsNamed(context.db, organizationId, field.name)).filter(
    (other) => other.id !== id
  )
  if (others.length > 0) {
    const places = others.map((other) =>
      other.mailing_list_id === null ? 'a global field' : `a field of mailing list ${other.mailing_list_id}`
    )
    throw validationFailed(refusal('name_not_unique', { field: 'name', name: field.name, places }))
  }
  await context.db
    .updateTable('custom_fields')
    .set({ mailing_list_id: null, updated_at: context.now })
    .where('id', '=', id)
    .execute()
  recordOne(context, 'custom_field', 'update', { organizationId }, id)
  return reread(context, organizationId, id)
}

/** @throws ApiError not_found, also if the field is not of the path's list */
async function fieldOfPath(context: CommandContext, input: FieldInput): Promise<FieldDefinition> {
  const field = await fieldById(context.db, input.organizationId, input.id)
  if (!field || !isOfPath(field, input.mailingListId)) throw notFound('custom field', input.id)
  return field
}

/**
 * True if a path may address the field.
 * @param mailingListId the list of the path; null on routes without one
 */
export function isOfPath(field: FieldDefinition, mailingListId: number | null): boolean {
  return mailingListId === null || field.mailingListId === mailingListId
}

async function reread(context: CommandContext, organizationId: number, id: number): Promise<FieldDefinition> {
  const field = await fieldById(context.db, organizationId, id)
  if (!field) throw new Error(`custom field ${id} vanished inside its own transaction`)
  return field
}

/** A name must be unique among the fields that one list shows, and must not be a reserved import column. */
export async function checkName(
  context: CommandContext,
  organizationId: number,
  mailingListId: number | null,
  name: string,
  ownId: number | null,
  faults: Faults
): Promise<void> {
  const key = name.trim().toLowerCase()
  if ((importColumns as readonly string[]).includes(key)) {
    faults.add(refusal('reserved_for_imports', { field: 'name', name }))
  }
  if (key === '__proto__') faults.add(refusal('unreadable_name', { field: 'name' }))
  const others = await fieldsNamed(context.db, organizationId, key)
  // A global field belongs to every list, so its name must be free on all of them.
  const beside = (listId: number | null): boolean =>
    mailingListId === null || listId === null || listId === mailingListId
  if (others.some((other) => other.id !== ownId && beside(other.mailing_list_id))) {
    faults.add(refusal('name_taken', { field: 'name', name: name.trim(), kind: 'custom field' }))
  }
}

function checkAttributes(attributes: TypedAttributes, faults: Faults): void {
  const { minimum_length, maximum_length, minimum_value, maximum_value } = attributes
  if (minimum_length && maximum_length && minimum_length > maximum_length) {
    faults.add(refusal('greater_than', { field: 'minimum_length', other: 'maximum_length' }))
  }
  if (
    typeof minimum_value === 'number' &&
    typeof maximum_value === 'number' &&
    minimum_value > maximum_value
  ) {
    faults.add(refusal('greater_than', { field: 'minimum_value', other: 'maximum_value' }))
  }
}

function checkOptions(options: OptionInput[], allowed: boolean, faults: Faults): void {
  if (!allowed && options.length > 0) faults.add(refusal('options_without_select', { field: 'options' }))
  const seen = new Set<string>()
  for (const { name } of options) {
    const key = name.trim().toLowerCase()
    if (seen.has(key)) faults.add(refusal('options_differ', { field: 'options', name }))
    seen.add(key)
  }
}

/**
 * Refuses a change of type or options that would leave subscribers with meaningless values.
 * @param unusedSince the entry of the change log after which to check, if no earlier subscriber has such a
 * value; null = unknown
 */
async function refuseStrandedValues(
  context: CommandContext,
  field: FieldDefinition,
  next: CustomFieldInput,
  options: OptionInput[] | undefined,
  unusedSince: number | null
): Promise<void> {
  const lost = lostValues(field, next.field_type, options)
  if (lost === null) return
  const names =
    lost === 'all' ? [] : field.options.filter(({ id }) => lost.includes(id)).map(({ name }) => name)
  const change = { field: 'field_type', from: field.type, to: next.field_type ?? field.type }
  const loss = { field: 'options', names: names.join('", "') }
  const refused = (why: 'import' | 'changing' | 'used'): ApiError =>
    validationFailed(
      lost === 'all' ? refusal(`type_while_${why}`, change) : refusal(`options_while_${why}`, loss)
    )
  const need = await whatNeeds(context, field, lost)
  if (need?.by === 'import') throw refused('import')
  if (need?.by === 'segment') {
    const { segment } = need
    throw validationFailed(
      lost === 'all'
        ? refusal('type_while_segment', { ...change, segment })
        : refusal('options_while_segment', { ...loss, segment })
    )
  }
  if (!(await hasSubscribers(context.db, field.organizationId, field.mailingListId))) return
  const use = unusedSince === null ? 'used' : await useSince(context.db, field, lost, unusedSince)
  if (use !== 'unused') throw refused(use === 'unknown' ? 'changing' : 'used')
}

type Need = { by: 'import' } | { by: 'segment'; segment: string }

/** Returns the import or segment that uses the values which a change would remove; null if there is none. */
export async function whatNeeds(
  { db }: CommandContext,
  field: FieldDefinition,
  lost: LostValues
): Promise<Need | null> {
  // A running import writes to the fields that existed when it started.
  if (await isBeingImported(db, field)) return { by: 'import' }
  const options = lost === 'all' ? undefined : lost
  const [segment] = await segmentsNaming(db, 'custom_field_id', field.id, options)
  return segment ? { by: 'segment', segment: segment.name } : null
}

/** Returns which values a change makes meaningless: none (null), those of some options, or all. */
export function lostValues(
  field: FieldDefinition,
  type: CustomFieldType | undefined,
  options: OptionInput[] | undefined
): LostValues | null {
  const retyped =
    type !== undefined && type !== field.type && !interchangeableTypes[field.type]?.includes(type)
  if (retyped) return 'all'
  const removed = options ? field.options.filter((option) => !keptOption(option, options)) : []
  return removed.length > 0 ? removed.map(({ id }) => id) : null
}

/** An option is kept if the request names its id, or, without an id, its name. */
function keptOption(option: { id: number; name: string }, options: OptionInput[]): OptionInput | undefined {
  return options.find((given) =>
    given.id === undefined ? given.name === option.name : given.id === option.id
  )
}

async function saveOptions(
  context: CommandContext,
  fieldId: number,
  before: FieldDefinition['options'],
  options: OptionInput[]
): Promise<void> {
  const ordered = options
    .map((option, order) => ({ option, place: option.index ?? order }))
    .sort((a, b) => a.place - b.place)
    .map(({ option }) => option)
  const kept = new Map<OptionInput, number>()
  for (const option of before) {
    const given = keptOption(option, options)
    if (given) kept.set(given, option.id)
    else await context.db.deleteFrom('custom_field_options').where('id', '=', option.id).execute()
  }
  for (const [position, option] of ordered.entries()) {
    const id = kept.get(option)
    const row = { name: option.name.trim(), position }
    if (id === undefined) {
      await context.db
        .insertInto('custom_field_options')
        .values({ custom_field_id: fieldId, ...row })
        .execute()
    } else {
      await context.db.updateTable('custom_field_options').set(row).where('id', '=', id).execute()
    }
  }
}

export const customFieldCommands = {
  create: createCustomField,
  update: updateCustomField,
  delete: deleteCustomField,
  promote: promoteCustomField
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    customFields: typeof customFieldCommands
  }
}

import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp } from '../../http/schema.ts'

/** docs/api.md, "Custom fields". */
export const customFieldTypes = [
  'text',
  'text_multiline',
  'number',
  'date',
  'day_of_year',
  'select_single_dropdown',
  'select_single_radio',
  'select_multiple_checkboxes',
  'boolean'
] as const
export type CustomFieldType = (typeof customFieldTypes)[number]

const textAttributes = {
  default_string: Nullable(Type.String()),
  minimum_length: Nullable(Type.Integer({ minimum: 0 })),
  maximum_length: Nullable(Type.Integer({ minimum: 1 })),
  interpolation_html_encode: Type.Boolean(),
  interpolation_url_encode: Type.Boolean()
}

const typedAttributes = {
  ...textAttributes,
  number_of_rows: Nullable(Type.Integer({ minimum: 1 })),
  interpolation_html_newlines: Type.Boolean(),
  default_integer: Nullable(Type.Integer()),
  minimum_value: Nullable(Type.Integer()),
  maximum_value: Nullable(Type.Integer()),
  default_boolean: Nullable(Type.Boolean())
}

/** All type-specific attributes; `attributesOfType` in rules.ts decides which a field has. */
export const TypedAttributes = Type.Partial(Type.Object(typedAttributes))
export type TypedAttributes = Static<typeof TypedAttributes>

const OptionInput = Type.Object({
  id: Type.Optional(Type.Integer()),
  name: Filled({ maxLength: 255 }),
  index: Type.Optional(Type.Integer())
})
export type OptionInput = Static<typeof OptionInput>

export const CustomFieldInput = Type.Object({
  name: Filled({ maxLength: 255 }),
  field_type: Type.Enum([...customFieldTypes]),
  required: Type.Optional(Type.Boolean()),
  instructions: Type.Optional(Nullable(Type.String())),
  options: Type.Optional(Type.Array(OptionInput, { maxItems: 10_000 })),
  ...TypedAttributes.properties
})
export type CustomFieldInput = Static<typeof CustomFieldInput>

export const CustomFieldChanges = Type.Partial(CustomFieldInput)
export type CustomFieldChanges = Static<typeof CustomFieldChanges>

export const CustomField = Type.Object({
  id: Type.Integer(),
  is_global: Type.Boolean(),
  mailing_list_id: Nullable(Type.Integer()),
  name: Type.String(),
  field_type: Type.Enum([...customFieldTypes]),
  required: Type.Boolean(),
  instructions: Nullable(Type.String()),
  ...TypedAttributes.properties,
  options: Type.Optional(
    Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), index: Type.Integer() }))
  )
})
export type CustomField = Static<typeof CustomField>

export const DeletedCustomField = Type.Object({ ...CustomField.properties, deleted_at: Timestamp })
export type DeletedCustomField = Static<typeof DeletedCustomField>

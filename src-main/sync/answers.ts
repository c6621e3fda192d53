import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'
import { hasOptions } from '../api/custom-fields/rules.ts'
import { customFieldTypes } from '../api/custom-fields/schema.ts'
import { subscriberStatuses } from '../api/subscribers/schema.ts'

// What a remote answers, as far as a sync relies on it. An answer that is something else is not believed: pages without custom fields
// would blank every value, and a list of nothing would remove everything.

/** Returns what is wrong with the data of an answer, or null. */
export type AnswerCheck = (data: unknown) => string | null

/** Compiled on first use: most starts never sync. */
function checkOf(schema: TSchema): AnswerCheck {
  let validate: ValidateFunction | undefined
  return (data) => {
    validate ??= new Ajv({
      strict: false,
      validateFormats: false,
      meta: false,
      validateSchema: false
    }).compile(schema)
    return validate(data) ? null : sentenceOf(validate.errors?.[0])
  }
}

function sentenceOf(error: ErrorObject | undefined): string {
  const path = (error?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const choices =
    error?.keyword === 'enum'
      ? `: ${(error.params as { allowedValues: string[] }).allowedValues.join(', ')}`
      : ''
  return `${path === '' ? 'its data' : path} ${error?.message ?? 'is not valid'}${choices}`
}

const Id = Type.Integer({ minimum: 1 })
const Name = Type.String({ minLength: 1, maxLength: 10_000 })
const nullable = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()])

/** Every record must have an id, or the listing could not be compared. */
const Identified = Type.Object({ id: Id })
const Option = Type.Object({ id: Id, name: Type.String(), index: Type.Integer() })

const MailingList = Type.Object({
  id: Id,
  name: Name,
  primary_key_custom_field_id: Type.Optional(nullable(Id))
})

const CustomField = Type.Object({
  id: Id,
  name: Name,
  field_type: Type.Enum([...customFieldTypes]),
  is_global: Type.Boolean(),
  required: Type.Boolean(),
  options: Type.Optional(nullable(Type.Array(Option)))
})

const Segment = Type.Object({
  id: Id,
  name: Name,
  clause: Type.Array(Type.Object({ type: Type.String() }))
})

const Message = Type.Object({
  id: Id,
  name: Name,
  segmentation_criteria_id: Type.Optional(nullable(Type.Integer())),
  campaign_contents: Type.Array(
    Type.Object({
      id: Id,
      name: nullable(Type.String()),
      subject: nullable(Type.String()),
      format: Type.String(),
      html: nullable(Type.String()),
      text: nullable(Type.String())
    })
  )
})

const SuppressionList = Type.Object({ id: Id, name: Name, mailing_list_id: nullable(Id) })

const counter = Type.Integer({ minimum: 0 })
const SubscriberImport = Type.Object({
  id: Id,
  state: Type.String(),
  error_message: Type.Optional(nullable(Type.String())),
  stats: Type.Object({ subscribers: Type.Object({ added: counter, failed: counter }) })
})

const Subscriber = Type.Object({
  id: Id,
  email: Type.String({ minLength: 3, maxLength: 1000 }),
  status: Type.Enum([...subscriberStatuses]),
  subscribe_time_epoch: Type.Optional(nullable(Type.Number())),
  subscribe_ip: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
  email_format: Type.Optional(nullable(Type.String())),
  confirmed: Type.Optional(nullable(Type.Boolean())),
  custom_fields: Type.Record(Type.String(), Type.Object({ value: Type.Unknown() }))
})

type TheirField = Static<typeof CustomField>

/** Refuses a select field without options: accepting it would delete everyone's value. */
function withoutOptions(fields: TheirField[]): string | null {
  const found = fields.find(
    ({ field_type: type, options }) => hasOptions(type) && !(Array.isArray(options) && options.length > 0)
  )
  return found ? `the field "${found.name}" has no options` : null
}

/** Combines checks, each of which relies on the earlier ones. */
function allOf(...checks: AnswerCheck[]): AnswerCheck {
  return (data) => {
    for (const check of checks) {
      const wrong = check(data)
      if (wrong !== null) return wrong
    }
    return null
  }
}

export const answers = {
  lists: checkOf(Type.Array(MailingList)),
  list: checkOf(MailingList),
  fields: allOf(checkOf(Type.Array(CustomField)), (data) => withoutOptions(data as TheirField[])),
  field: allOf(checkOf(CustomField), (data) => withoutOptions([data as TheirField])),
  listing: checkOf(Type.Array(Identified)),
  summaries: checkOf(Type.Array(Type.Object({ id: Id, name: Name }))),
  segment: checkOf(Segment),
  message: checkOf(Message),
  suppressionLists: checkOf(Type.Array(SuppressionList)),
  suppressionList: checkOf(SuppressionList),
  suppressedAddresses: checkOf(Type.Array(Type.Object({ email: Type.String({ minLength: 1 }) }))),
  subscriberImport: checkOf(SubscriberImport),
  confirmation: checkOf(Type.Object({ delete_confirmation_code: Type.String({ minLength: 1 }) })),
  subscriber: checkOf(Subscriber),
  /** null: the remote has none of the requested records. */
  found: checkOf(nullable(Type.Array(Identified))),
  anything: (): null => null
} satisfies Record<string, AnswerCheck>

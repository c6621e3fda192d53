import { Type } from 'typebox'
import { hasOptions } from '../../api/custom-fields/rules.ts'
import { customFieldTypes } from '../../api/custom-fields/schema.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams, Nullable, withDefault } from '../../http/schema.ts'
import {
  importOutcomes,
  SubscriberImport,
  SubscriberImportInput
} from '../../api/subscriber-imports/schema.ts'
import type { DryRunProgress } from '../../imports/dry-run.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { FailedRowsAnswer, FailedRowsQuery } from './imports.ts'

const { overwrite, overwrite_what, overwrite_when_status, column_mapping } = SubscriberImportInput.properties
const { default_custom_fields, subscriber_defaults, file_format } = SubscriberImportInput.properties

const DryRunInput = Type.Object({
  /** In the upload directory. */
  filename: Type.String({ minLength: 1 }),
  /** Custom fields that the import would begin with creating, of types without options. */
  new_custom_fields: withDefault(
    Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1 }),
        field_type: Type.Enum(customFieldTypes.filter((type) => !hasOptions(type)))
      })
    ),
    []
  ),
  overwrite,
  overwrite_what,
  overwrite_when_status,
  column_mapping,
  default_custom_fields,
  subscriber_defaults,
  file_format
})

const DryRun = Type.Object({
  id: Type.String(),
  state: Type.Enum(['splitting', 'importing', 'finished', 'failed']),
  error_message: Nullable(Type.String()),
  stats: SubscriberImport.properties.stats
})

const LogQuery = Type.Object({ escape_formulas: withDefault(Type.Boolean(), false) })

const DryRunParams = Type.Object({ id: Type.String({ minLength: 1 }) })

export type DryRun = DryRunProgress & { id: string }

export const dryRunEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/dry_runs': {
    access: 'subscriber.import',
    params: MailingListParams,
    body: DryRunInput,
    answer: envelope(DryRun)
  },

  'GET /dry_runs/:id': { access: 'subscriber.import', params: DryRunParams, answer: envelope(DryRun) },

  'GET /dry_runs/:id/logs/:log': {
    access: 'subscriber.import',
    params: Type.Object({ ...DryRunParams.properties, log: Type.Enum([...importOutcomes]) }),
    query: LogQuery
  },

  'GET /dry_runs/:id/failed_rows': {
    access: 'subscriber.import',
    params: DryRunParams,
    query: FailedRowsQuery,
    answer: FailedRowsAnswer
  },

  'DELETE /dry_runs/:id': { access: 'subscriber.import', params: DryRunParams, answer: envelope(Type.Null()) }
})

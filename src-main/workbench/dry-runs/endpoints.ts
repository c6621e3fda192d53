import { Type } from 'typebox'
import { customFieldTypes } from '../../api/custom-fields/schema.ts'
import { Reading } from '../../contact-files/schema.ts'
import { envelope } from '../../http/envelope.ts'
import { Fault, MailingListParams, Nullable, withDefault } from '../../http/schema.ts'
import { importOutcomes, SubscriberImport } from '../../api/subscriber-imports/schema.ts'
import type { DryRunProgress } from '../../imports/dry-run.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { importOptions, readingLimits } from '../file-analyses/endpoints.ts'
import { FailedRowsAnswer, FailedRowsQuery } from '../imports/endpoints.ts'

const DryRunInput = Type.Object({
  /** In the upload directory. */
  filename: Type.String({ minLength: 1 }),
  reading: Reading,
  ...importOptions
})

const DryRun = Type.Object({
  id: Type.String(),
  state: Type.Enum(['splitting', 'importing', 'finished', 'failed']),
  error_message: Nullable(Type.String()),
  fault: Nullable(Fault),
  stats: SubscriberImport.properties.stats,
  /** The statuses of subscribers that would be added. */
  statuses: Type.Record(Type.String(), Type.Integer()),
  /** The changes of subscribers that would be updated. */
  changes: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Nullable(Type.Enum([...customFieldTypes])),
      count: Type.Integer(),
      examples: Type.Array(
        Type.Object({ email: Type.String(), before: Type.Unknown(), after: Type.Unknown() })
      )
    })
  ),
  /** Updated subscribers who have all of it already. */
  unchanged: Type.Integer()
})

const LogQuery = Type.Object({ escape_formulas: withDefault(Type.Boolean(), false) })

const DryRunParams = Type.Object({ id: Type.String({ minLength: 1 }) })

export type DryRun = DryRunProgress & { id: string; error_message: string | null }

export const dryRunEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/dry_runs': {
    access: 'subscriber.import',
    params: MailingListParams,
    ...readingLimits,
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

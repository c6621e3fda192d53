import { type Static, type TSchema, Type } from 'typebox'
import {
  importStates,
  SubscriberImport,
  SubscriberImportSummary
} from '../../api/subscriber-imports/schema.ts'
import { readableCharacterSets } from '../../contact-files/character-sets.ts'
import { fileKinds } from '../../contact-files/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { Fault, IdParams, MailingListParams, Nullable } from '../../http/schema.ts'

/** The file name of an import; for a correction, that of the corrected import. null if the content came with the request. */
const Name = Nullable(Type.String())

const ListedImport = Type.Object({
  ...SubscriberImportSummary.properties,
  name: Name,
  failed: Type.Integer(),
  /** The number of failed rows that were corrected since. */
  corrected: Type.Integer(),
  /** The import whose failed rows this one corrects. */
  corrects_id: Nullable(Type.Integer()),
  is_undone: Type.Boolean()
})
export type ListedImport = Static<typeof ListedImport>

const ImportLinks = Type.Object({
  name: Name,
  /** The file before it was converted; null for an import of the API. */
  file: Nullable(
    Type.Object({
      kind: Type.Enum([...fileKinds]),
      character_set: Type.Enum(readableCharacterSets),
      headers: Nullable(Type.Array(Type.String()))
    })
  ),
  corrects_id: Nullable(Type.Integer()),
  is_undone: Type.Boolean(),
  /** The imports that correct its rows, the oldest first. */
  corrections: Type.Array(
    Type.Object({
      id: Type.Integer(),
      state: Type.Enum([...importStates]),
      rows: Type.Integer(),
      added: Type.Integer(),
      updated: Type.Integer(),
      failed: Type.Integer()
    })
  )
})
export type ImportLinks = Static<typeof ImportLinks>

const FailedRow = Type.Object({
  /** Its place in the log, from 0. */
  place: Type.Integer(),
  /** Its first line in the file, from 1. */
  line: Type.Integer(),
  cells: Type.Array(Type.String()),
  complaint: Type.String(),
  fault: Fault,
  /** The column that is to blame, from 0; null where it is the row as a whole. */
  column: Nullable(Type.Integer())
})
export type FailedRow = Static<typeof FailedRow>

function failedRowsPage<Row extends TSchema>(row: Row) {
  return Type.Object({
    ...pagedEnvelope(row).properties,
    reasons: Type.Array(Type.Object({ reason: Type.String(), fault: Fault, rows: Type.Integer() }))
  })
}
export const FailedRowsAnswer = failedRowsPage(FailedRow)

const AddingImport = Type.Object({
  id: Type.Integer(),
  name: Name,
  /** The import whose failed rows this one corrects. */
  corrects_id: Nullable(Type.Integer()),
  begins_at: Type.String(),
  added: Type.Integer()
})
export type AddingImport = Static<typeof AddingImport>

export const FailedRowsQuery = Type.Object({ ...PageQuery(50), reason: Type.Optional(Type.String()) })

/** Rows that are corrected at once. */
const maxCorrected = 5000

export const importEndpoints = unlistedEndpoints({
  // The API's imports, with details that only the window shows.
  'GET /subscriber_imports': {
    access: 'subscriber.import',
    query: Type.Object({ ...PageQuery(200), mailing_list_id: Type.Optional(Type.Integer()) }),
    answer: pagedEnvelope(ListedImport)
  },

  // The imports that a filter can name, newest first. Whoever may see subscribers may also see where they
  // came from.
  'GET /mailing_lists/:mailing_list_id/imports_that_added': {
    access: 'subscriber.read',
    params: MailingListParams,
    answer: envelope(Type.Array(AddingImport))
  },

  'GET /subscriber_imports/:id/links': {
    access: 'subscriber.import',
    params: IdParams,
    answer: envelope(ImportLinks)
  },

  // Failed rows that are not corrected yet.
  'GET /subscriber_imports/:id/failed_rows': {
    access: 'subscriber.import',
    params: IdParams,
    query: FailedRowsQuery,
    answer: FailedRowsAnswer
  },

  // The same rows as a file for spreadsheets, with the column names of the imported file.
  'GET /subscriber_imports/:id/failed_rows_file': { access: 'subscriber.import', params: IdParams },

  // Imports corrected rows with the settings of their import, under their former line numbers.
  'POST /subscriber_imports/:id/corrections': {
    access: 'subscriber.import',
    params: IdParams,
    bodyLimit: 16 * 1024 * 1024,
    bodyRules: { maxValues: 200_000 },
    body: Type.Object({
      rows: Type.Array(
        Type.Object({ place: Type.Integer({ minimum: 0 }), cells: Type.Array(Type.String()) }),
        {
          minItems: 1,
          maxItems: maxCorrected
        }
      )
    }),
    answer: envelope(SubscriberImport)
  }
})

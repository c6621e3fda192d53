import { type Static, Type } from 'typebox'
import { SubscriberImport, SubscriberImportInput } from '../../api/subscriber-imports/schema.ts'
import { FileAnalysis, ReadingChoices } from '../../contact-files/analysis/schema.ts'
import { Reading } from '../../contact-files/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Fault, MailingListParams, Nullable, withDefault } from '../../http/schema.ts'

const { overwrite, overwrite_what, overwrite_when_status, subscriber_defaults } =
  SubscriberImportInput.properties

/** Settings for applying the rows of a file to a list. */
export const importOptions = { overwrite, overwrite_what, overwrite_when_status, subscriber_defaults }

const Filename = Type.String({ minLength: 1 })
/** For descriptions of files with many columns and words. */
export const readingLimits = { bodyLimit: 8 * 1024 * 1024, bodyRules: { maxValues: 200_000 } }

const RowPreview = Type.Object({
  /** The meaning of each cell of a row, as in column_mapping. */
  mapping: Type.Array(Type.String()),
  /** A row of the file becomes none if it is skipped, and several if it has several addresses. */
  rows: Type.Array(Type.Object({ cells: Type.Array(Type.String()), fault: Nullable(Fault) }))
})
export type RowPreview = Static<typeof RowPreview>

const maxPreviewedRows = 50
const maxPreviewedCell = 1000

export const fileAnalysisEndpoints = unlistedEndpoints({
  // How an upload is best read, and what there is to say about it.
  'POST /mailing_lists/:mailing_list_id/file_analyses': {
    access: 'subscriber.import',
    params: MailingListParams,
    ...readingLimits,
    body: Type.Object({
      filename: Filename,
      choices: withDefault(ReadingChoices, {}),
      /** A description that was saved of another file of this kind; the proposal says what it says. */
      saved: Type.Optional(Reading)
    }),
    answer: envelope(FileAnalysis)
  },

  // Rows of a file as an import would read them.
  'POST /mailing_lists/:mailing_list_id/row_previews': {
    access: 'subscriber.import',
    params: MailingListParams,
    ...readingLimits,
    body: Type.Object({
      reading: Reading,
      rows: Type.Array(Type.Array(Type.String({ maxLength: maxPreviewedCell })), {
        maxItems: maxPreviewedRows
      })
    }),
    answer: envelope(RowPreview)
  },

  // Creates the new fields and the import at once, or neither; remembers how the columns were read.
  'POST /mailing_lists/:mailing_list_id/file_imports': {
    access: 'subscriber.import',
    params: MailingListParams,
    ...readingLimits,
    body: Type.Object({ filename: Filename, reading: Reading, ...importOptions }),
    answer: envelope(SubscriberImport)
  }
})

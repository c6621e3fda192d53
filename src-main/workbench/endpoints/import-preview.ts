import { type Static, Type } from 'typebox'
import { customFieldTypes } from '../../api/custom-fields/schema.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams, Nullable, withDefault } from '../../http/schema.ts'
import { characterSets, fieldEnclosures, fieldSeparators } from '../../api/subscriber-imports/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const FormatChoice = Type.Object({
  character_set: Type.Enum([...characterSets]),
  csv_field_separator: Type.Enum([...fieldSeparators]),
  csv_field_enclosure: Type.Enum([...fieldEnclosures]),
  csv_has_headers: Type.Boolean(),
  /** Whether cells were escaped for spreadsheets. */
  escape_formulas: Type.Boolean()
})

const ImportPreview = Type.Object({
  file_format: FormatChoice,
  bytes: Type.Integer(),
  columns: Type.Array(
    Type.Object({
      header: Type.String(),
      samples: Type.Array(Type.String()),
      /** What column_mapping would hold, or null when nothing on the list fits. */
      suggestion: Nullable(Type.String()),
      /** Whether a column with this header went there in the last import; without a suggestion it was left out then. */
      remembered: Type.Boolean(),
      /** The type of a new custom field for this column, by the order of day and month that is chosen. */
      guessed_types: Type.Object({
        mdy: Type.Enum([...customFieldTypes]),
        dmy: Type.Enum([...customFieldTypes])
      }),
      /** The order of day and month in most values, or in the last import; unclear where they can be read either way. */
      date_order: Nullable(Type.Enum(['mdy', 'dmy', 'unclear']))
    })
  ),
  rows: Type.Array(Type.Array(Type.String())),
  warnings: Type.Array(Type.String())
})

export type ImportPreview = Static<typeof ImportPreview>

export const importPreviewEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/import_preview': {
    access: 'subscriber.import',
    params: MailingListParams,
    body: Type.Object({
      filename: Type.String({ minLength: 1 }),
      /** What the user chose; what is left out is detected. */
      file_format: withDefault(Type.Partial(FormatChoice), {})
    }),
    answer: envelope(ImportPreview)
  }
})

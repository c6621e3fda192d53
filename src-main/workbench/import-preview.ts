import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { customFieldTypes } from '../api/custom-fields/schema.ts'
import { envelope, ok } from '../http/envelope.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { MailingListParams, Nullable } from '../http/schema.ts'
import { characterSets, fieldEnclosures, fieldSeparators } from '../api/subscriber-imports/schema.ts'
import { readBeginning } from '../imports/beginning.ts'
import { refusingFailures } from '../csv/failure.ts'
import { findUpload } from '../imports/source.ts'
import { detectFormat, previewOf } from './detect-format.ts'
import { rememberedColumns } from './import-mappings/queries.ts'

const FormatChoice = Type.Object({
  character_set: Type.Enum([...characterSets]),
  csv_field_separator: Type.Enum([...fieldSeparators]),
  csv_field_enclosure: Type.Enum([...fieldEnclosures]),
  csv_has_headers: Type.Boolean(),
  /** Whether cells were escaped for spreadsheets. */
  escape_formulas: Type.Boolean()
})

const Preview = Type.Object({
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
      /** The type of a new custom field for this column. */
      guessed_type: Type.Enum([...customFieldTypes]),
      /** The order of day and month, where the values tell. */
      guessed_date_format: Nullable(Type.Enum(['mdy', 'dmy']))
    })
  ),
  rows: Type.Array(Type.Array(Type.String())),
  warnings: Type.Array(Type.String())
})
export type ImportPreview = Static<typeof Preview>

/** POST /app/v1/mailing_lists/:id/import_preview: the first rows of an upload, and how the file is best read. */
export const importPreviewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, dataDirectory } = app.context
  app.post(
    '/mailing_lists/:mailing_list_id/import_preview',
    {
      config: { access: 'subscriber.import' },
      schema: {
        hide: true,
        params: MailingListParams,
        body: Type.Object({
          filename: Type.String({ minLength: 1 }),
          /** What the user chose; what is left out is detected. */
          file_format: Type.Partial(FormatChoice, { default: {} })
        }),
        response: { 200: envelope(Preview) }
      }
    },
    async ({ caller, params, body }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const fields = await fieldsOfList(reader, caller.organizationId, list.id)
      const source = await findUpload(dataDirectory, caller.organizationId, body.filename)
      const path = join(dataDirectory, source.path)
      return refusingFailures(async () => {
        const { beginning, bytes } = await readBeginning(path)
        const format = await detectFormat(beginning, path, body.file_format)
        const remembered = await rememberedColumns(reader, list.id)
        return ok({ bytes, ...(await previewOf(beginning, path, format, { list, fields, remembered })) })
      })
    }
  )
}

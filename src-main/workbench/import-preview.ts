import { join } from 'node:path'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { ok } from '../http/envelope.ts'
import { mailingListById } from '../api/mailing-lists/queries.ts'
import { readBeginning } from '../imports/beginning.ts'
import { refusingFailures } from '../csv/failure.ts'
import { findUpload } from '../imports/source.ts'
import { detectFormat, previewOf } from './detect-format.ts'
import { rememberedColumns } from './import-mappings/queries.ts'
import { importPreviewEndpoints } from './endpoints/import-preview.ts'
import { serve } from '../http/serve.ts'

/** POST /app/v1/mailing_lists/:id/import_preview: the first rows of an upload, and how the file is best read. */
export const importPreviewRoutes = serve(importPreviewEndpoints, ({ reader, dataDirectory }) => ({
  'POST /mailing_lists/:mailing_list_id/import_preview': async ({ caller, params, body }) => {
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
}))

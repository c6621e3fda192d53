import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import { localListById, mailingListById } from '../../api/mailing-lists/queries.ts'
import { importRow, presentImport } from '../../api/subscriber-imports/queries.ts'
import { applyReading } from '../../contact-files/apply-reading.ts'
import { createdFields, RowInterpreter } from '../../contact-files/interpreter.ts'
import { refusingFailures } from '../../csv/failure.ts'
import { ok } from '../../http/envelope.ts'
import { hasAccess } from '../../http/access.ts'
import { requireAccess } from '../../http/permissions.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { fieldsWithCreated, settingsOf } from '../../imports/interpreted-rows.ts'
import { findUpload, sourceDirectory } from '../../imports/source.ts'
import { fileAnalysisEndpoints } from './endpoints.ts'
import { columnsOfLastImport, rememberedColumns } from '../import-mappings/queries.ts'

/** The way of a file from the upload directory onto a list: how it is read, and its import. */
export const fileAnalysisRoutes = serveEndpoints(
  fileAnalysisEndpoints,
  ({ reader, writer, dataDirectory, fileAnalyzer }) => ({
    'POST /mailing_lists/:mailing_list_id/file_analyses': async ({ caller, params, body }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const fields = await fieldsOfList(reader, caller.organizationId, list.id)
      const source = await findUpload(dataDirectory, caller.organizationId, body.filename)
      const directory = join(dataDirectory, sourceDirectory, `analysis-${randomUUID()}`)
      try {
        const analysis = await refusingFailures(async () =>
          fileAnalyzer.analyze({
            path: join(dataDirectory, source.path),
            filename: body.filename,
            choices: body.choices,
            destination: {
              fields,
              hasFormat: list.has_format === 1,
              hasConfirmed: list.has_confirmed === 1,
              createsFields: hasAccess(caller, 'custom_field.create'),
              remembered: await rememberedColumns(reader, list.id),
              last: await columnsOfLastImport(reader, list.id)
            },
            directory
          })
        )
        const { saved } = body
        return ok(saved ? { ...analysis, reading: applyReading(saved, analysis.reading, fields) } : analysis)
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },

    'POST /mailing_lists/:mailing_list_id/row_previews': async ({ caller, params, body }) => {
      const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const fields = await fieldsOfList(reader, caller.organizationId, list.id)
      const interpreter = new RowInterpreter(body.reading, fieldsWithCreated(fields, body.reading))
      return ok({ mapping: interpreter.mapping, rows: body.rows.flatMap((row) => interpreter.read(row)) })
    },

    'POST /mailing_lists/:mailing_list_id/file_imports': async ({ caller, params, body }) => {
      const { organizationId } = caller
      const { filename, reading, ...options } = body
      await localListById(reader, organizationId, params.mailing_list_id, 'subscriber imports')
      if (createdFields(reading).length > 0) requireAccess(caller, 'custom_field.create')
      const source = await findUpload(dataDirectory, organizationId, filename)
      const id = await writer.run('subscriberImports.create', {
        organizationId,
        mailingListId: params.mailing_list_id,
        settings: settingsOf(reading, options),
        reading,
        autoresponders: {},
        source,
        beginsAt: null,
        corrects: null
      })
      await writer.run('importMappings.rememberColumns', {
        organizationId,
        mailingListId: params.mailing_list_id,
        columns: reading.columns
      })
      return ok(presentImport(await importRow(reader, organizationId, id), caller.timeZone))
    }
  })
)

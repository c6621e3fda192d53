import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { join } from 'node:path'
import { Type } from 'typebox'
import { envelope, ok } from '../http/envelope.ts'
import { IdParams } from '../http/schema.ts'
import {
  presentSuppressedAddressImport,
  suppressedAddressImportById,
  suppressedAddressImportsOf
} from '../api/suppressed-address-imports/queries.ts'
import { SuppressedAddressImport } from '../api/suppressed-address-imports/schema.ts'
import { suppressionListById } from '../api/suppression-lists/queries.ts'
import { readBeginning } from '../imports/beginning.ts'
import { refusingFailures } from '../csv/failure.ts'
import { findUpload, fingerprintOf } from '../imports/source.ts'
import { detectFormat } from './detect-format.ts'

/** Files of addresses to suppress: the specification knows them as jobs, without a way to make them. */
export const suppressedAddressImportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, dataDirectory } = app.context
  const response = { 200: envelope(SuppressedAddressImport) }

  app.get(
    '/suppression_lists/:id/suppressed_address_imports',
    {
      config: { access: 'signed_in' },
      schema: {
        hide: true,
        params: IdParams,
        response: { 200: envelope(Type.Array(SuppressedAddressImport)) }
      }
    },
    async ({ caller, params }) => {
      const { id } = await suppressionListById(reader, caller.organizationId, params.id)
      const rows = await suppressedAddressImportsOf(reader, id)
      return ok(rows.map((row) => presentSuppressedAddressImport(row, caller.timeZone)))
    }
  )

  app.post(
    '/suppression_lists/:id/suppressed_address_imports',
    {
      config: { access: 'organization_admin' },
      schema: {
        hide: true,
        params: IdParams,
        body: Type.Object({ filename: Type.String({ minLength: 1 }) }),
        response
      }
    },
    async ({ caller: { organizationId, userId, timeZone }, params, body: { filename } }) => {
      await suppressionListById(reader, organizationId, params.id)
      const { path } = await findUpload(dataDirectory, organizationId, filename)
      const row = await writer.run('suppressedAddressImports.create', {
        organizationId,
        userId,
        suppressionListId: params.id,
        filename,
        path,
        ...(await factsOf(join(dataDirectory, path)))
      })
      return ok(presentSuppressedAddressImport(row, timeZone))
    }
  )

  for (const action of ['pause', 'unpause', 'cancel'] as const) {
    app.post(
      `/suppressed_address_imports/:id/${action}`,
      { config: { access: 'organization_admin' }, schema: { hide: true, params: IdParams, response } },
      async ({ caller: { organizationId, timeZone }, params: { id } }) => {
        await writer.run(`suppressedAddressImports.${action}`, { organizationId, id })
        const row = await suppressedAddressImportById(reader, organizationId, id)
        return ok(presentSuppressedAddressImport(row, timeZone))
      }
    )
  }
}

/** How a file is best read, every line of it: a header holds nothing to suppress. @throws ApiError validation_failed */
function factsOf(path: string) {
  return refusingFailures(async () => {
    const { beginning } = await readBeginning(path)
    const format = await detectFormat(beginning, path, { csv_has_headers: false })
    return { format: { ...format, date_format: 'mdy' as const }, fingerprint: await fingerprintOf(path) }
  })
}

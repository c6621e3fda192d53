import { join } from 'node:path'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import {
  presentSuppressedAddressImport,
  suppressedAddressImportById,
  suppressedAddressImportsOf
} from '../../api/suppressed-address-imports/queries.ts'
import { suppressionListById } from '../../api/suppression-lists/queries.ts'
import { readBeginning } from '../../imports/beginning.ts'
import { refusingFailures } from '../../csv/failure.ts'
import { findUpload, fingerprintOf } from '../../imports/source.ts'
import { detectFormat } from './detect-format.ts'
import { suppressedAddressImportEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** Files of addresses to suppress: the API knows them as jobs, without a way to make them. */
export const suppressedAddressImportRoutes = serveEndpoints(
  suppressedAddressImportEndpoints,
  ({ reader, writer, dataDirectory }) => {
    return {
      'GET /suppression_lists/:id/suppressed_address_imports': async ({ caller, params }) => {
        const { id } = await suppressionListById(reader, caller.organizationId, params.id)
        const rows = await suppressedAddressImportsOf(reader, id)
        return ok(rows.map((row) => presentSuppressedAddressImport(row, caller.timeZone)))
      },

      'POST /suppression_lists/:id/suppressed_address_imports': async ({
        caller: { organizationId, userId, timeZone },
        params,
        body: { filename }
      }) => {
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
      },

      'POST /suppressed_address_imports/:id/pause': async ({ caller, params }) =>
        changeState(caller, 'suppressedAddressImports.pause', params.id),
      'POST /suppressed_address_imports/:id/unpause': async ({ caller, params }) =>
        changeState(caller, 'suppressedAddressImports.unpause', params.id),
      'POST /suppressed_address_imports/:id/cancel': async ({ caller, params }) =>
        changeState(caller, 'suppressedAddressImports.cancel', params.id)
    }

    async function changeState(
      { organizationId, timeZone }: Caller,
      command:
        | 'suppressedAddressImports.pause'
        | 'suppressedAddressImports.unpause'
        | 'suppressedAddressImports.cancel',
      id: number
    ) {
      await writer.run(command, { organizationId, id })
      const row = await suppressedAddressImportById(reader, organizationId, id)
      return ok(presentSuppressedAddressImport(row, timeZone))
    }
  }
)

/**
 * Returns how to read a file without a header, so that no line is skipped.
 * @throws ApiError validation_failed
 */
function factsOf(path: string) {
  return refusingFailures(async () => {
    const { beginning } = await readBeginning(path)
    const format = { ...(await detectFormat(beginning, path)), csv_has_headers: false }
    return { format: { ...format, date_format: 'mdy' as const }, fingerprint: await fingerprintOf(path) }
  })
}

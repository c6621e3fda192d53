import { basename } from 'node:path'
import { ok } from '../../http/envelope.ts'
import { checkUrl } from '../../imports/address-guard.ts'
import { download } from '../../imports/download.ts'
import { refusingFailures } from '../../csv/failure.ts'
import { currentSettings } from '../../settings/queries.ts'
import { storeUpload } from '../../imports/store-upload.ts'
import { urlUploadEndpoints } from './endpoints.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { serveEndpoints } from '../../http/serve.ts'

/**
 * POST /app/v1/url_uploads: downloads a file into the upload directory, in one attempt since a user waits.
 */
export const urlUploadRoutes = serveEndpoints(urlUploadEndpoints, ({ reader, writer, dataDirectory }) => ({
  'POST /url_uploads': async ({ caller, body }, reply) => {
    const { organizationId } = caller
    const signal = signalOf(reply)
    const { service_url_imports_allow_private_addresses: allowsPrivate } = await currentSettings(reader)
    return refusingFailures(async () => {
      const { pathname } = checkUrl(body.url, allowsPrivate)
      const filename = await storeUpload(
        { writer, dataDirectory, organizationId },
        fileNameIn(pathname),
        (path) => download(body.url, path, { allowsPrivate, signal, waits: [] })
      )
      return ok({ filename })
    })
  }
}))

function fileNameIn(pathname: string): string {
  const name = basename(pathname)
  try {
    return decodeURIComponent(name) || 'download.csv'
  } catch {
    // A percent sign that is not part of an escape is kept.
    return name
  }
}

import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asksForPage, pageHeaders } from '../http/pages.ts'
import { servedPrefixes } from '../http/served-prefixes.ts'
import { packageDirectory } from '../base/package-directory.ts'
import { aboutRoutes } from './about/routes.ts'
import { apiAccessRoutes } from './api-access/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { backupImportRoutes } from '../backups/import-route.ts'
import { backupRoutes } from '../backups/routes.ts'
import { integrityRoutes } from '../integrity/routes.ts'
import { bulkActionRoutes } from './bulk-actions/routes.ts'
import { campaignRoutes } from './campaigns/routes.ts'
import { contentPreviewRoutes } from './content-preview/routes.ts'
import { databaseImportRoutes } from './database-imports/routes.ts'
import { draftRoutes } from './drafts/routes.ts'
import { dryRunRoutes } from './dry-runs/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { heldMessageRoutes } from './held-messages/routes.ts'
import { hygieneRoutes } from './hygiene/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { imageRoutes } from './images/routes.ts'
import { importMappingRoutes } from './import-mappings/routes.ts'
import { fileAnalysisRoutes } from './file-analyses/routes.ts'
import { importRoutes } from './imports/routes.ts'
import { importUndoRoutes } from './import-undos/routes.ts'
import { mailingListRoutes } from './mailing-lists/routes.ts'
import { organizationSettingRoutes } from './organization/routes.ts'
import { publicPageRoutes } from './public-pages/routes.ts'
import { remoteQueryRoutes } from './remote-queries/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { segmentCountRoutes } from './segment-counts/routes.ts'
import { sessionRoutes } from './session/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { windowSegmentRoutes } from './segments/routes.ts'
import { subscriberPageRoutes } from './subscriber-page/routes.ts'
import { subscriberTableRoutes } from './subscriber-table/routes.ts'
import { syncRoutes } from '../sync/routes.ts'
import { suppressedAddressImportRoutes } from './suppressed-address-imports/routes.ts'
import { tableViewRoutes } from './table-views/routes.ts'
import { undoRoutes } from './undo/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { urlUploadRoutes } from './url-uploads/routes.ts'
import { windowRoutes } from './windows/routes.ts'

/** Registers the routes of the window, under /app/v1. */
export const registerWorkbench: FastifyPluginAsync = async (app) => {
  await app.register(aboutRoutes)
  await app.register(apiAccessRoutes)
  await app.register(auditRoutes)
  await app.register(backupRoutes)
  await app.register(backupImportRoutes)
  await app.register(integrityRoutes)
  await app.register(bulkActionRoutes)
  await app.register(campaignRoutes)
  await app.register(contentPreviewRoutes)
  await app.register(databaseImportRoutes)
  await app.register(draftRoutes)
  await app.register(dryRunRoutes)
  await app.register(eventRoutes)
  await app.register(homeRoutes)
  await app.register(heldMessageRoutes)
  await app.register(hygieneRoutes)
  await app.register(imageRoutes)
  await app.register(importMappingRoutes)
  await app.register(fileAnalysisRoutes)
  await app.register(importRoutes)
  await app.register(importUndoRoutes)
  await app.register(organizationSettingRoutes)
  await app.register(mailingListRoutes)
  await app.register(publicPageRoutes)
  await app.register(remoteQueryRoutes)
  await app.register(searchRoutes)
  await app.register(segmentCountRoutes)
  await app.register(sessionRoutes)
  await app.register(settingsRoutes)
  await app.register(subscriberPageRoutes)
  await app.register(subscriberTableRoutes)
  await app.register(suppressedAddressImportRoutes)
  await app.register(syncRoutes)
  await app.register(tableViewRoutes)
  await app.register(windowSegmentRoutes)
  await app.register(undoRoutes)
  await app.register(uploadRoutes)
  await app.register(urlUploadRoutes)
  await app.register(windowRoutes)
}

const windowDirectory = join(packageDirectory, 'out/renderer')
const windowIsBuilt = existsSync(join(windowDirectory, 'index.html'))

const otherAddresses = new RegExp(`^/(assets|${servedPrefixes.join('|')})(/|$)`)

/**
 * True if a browser requests a page: all pages are the same file, since the window's router reads the
 * address.
 */
function asksForWindow(request: FastifyRequest): boolean {
  return !otherAddresses.test(request.url) && asksForPage(request)
}

/** The files of the window. They hold no data, so they need no key; the page signs in with the one-time token in its address. */
export const registerWindowFiles: FastifyPluginAsync = async (app) => {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' }
    route.schema = { ...route.schema, hide: true }
  })

  app.get('/', async (_request, reply) => sendPage(reply))
  if (!windowIsBuilt) return
  await app.register(fastifyStatic, {
    root: join(windowDirectory, 'assets'),
    prefix: '/assets/',
    immutable: true,
    maxAge: '1y'
  })
  app.get('/*', async (request, reply) => {
    if (asksForWindow(request)) return sendPage(reply)
    reply.callNotFound()
    return reply
  })

  function sendPage(reply: FastifyReply): FastifyReply {
    if (!windowIsBuilt) {
      return reply.type('text/plain').send('The window is not built. Run: npm run build\n')
    }
    return reply.headers(pageHeaders).sendFile('index.html', windowDirectory, { cacheControl: false })
  }
}

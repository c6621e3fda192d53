import type { FastifyInstance } from 'fastify'
import { authenticate } from './api/accounts/authentication.ts'
import { attachmentRoutes } from './api/attachments/routes.ts'
import { autoresponderRoutes } from './api/autoresponders/routes.ts'
import { campaignRoutes } from './api/campaigns/routes.ts'
import { customFieldRoutes } from './api/custom-fields/routes.ts'
import { databaseConnectionRoutes } from './api/database-connections/routes.ts'
import { deliverySettingRoutes } from './api/delivery-settings/routes.ts'
import { eventRoutes } from './api/events/routes.ts'
import { jobRoutes } from './api/jobs/routes.ts'
import { mailboxRoutes } from './api/mailboxes/routes.ts'
import { listPagesRoutes } from './api/list-pages/routes.ts'
import { mailingListRoutes } from './api/mailing-lists/routes.ts'
import { organizationRoutes } from './api/organizations/routes.ts'
import { seedListRoutes } from './api/seed-lists/routes.ts'
import { segmentRoutes } from './api/segments/routes.ts'
import { dkimKeyRoutes } from './api/dkim-keys/routes.ts'
import { smtpServerRoutes } from './api/smtp-servers/routes.ts'
import { statisticsRoutes } from './api/statistics/routes.ts'
import { subscriberCountRoutes } from './api/subscriber-counts/routes.ts'
import { subscriberExportRoutes } from './exports/routes.ts'
import { subscriberImportRoutes } from './imports/routes.ts'
import { subscriberRoutes } from './api/subscribers/routes.ts'
import { suppressionListRoutes } from './api/suppression-lists/routes.ts'
import { templateRoutes } from './api/templates/routes.ts'
import { userRoutes } from './api/users/routes.ts'
import { webhookRoutes } from './api/webhooks/routes.ts'
import { webFormRoutes } from './api/web-forms/routes.ts'
import {
  autoresponderPreviewRoutes,
  campaignPreviewRoutes,
  smtpRoutes,
  preflightRoutes,
  rehearsalRoutes
} from './delivery/routes.ts'
import { journalRoutes } from './api/journal/routes.ts'
import { judgementRoutes, mailboxTestRoutes, receivingRoutes } from './receiving/routes.ts'
import { referenceRoutes } from './http/reference.ts'
import { apiPrefix } from './http/server.ts'
import { gateRoutes } from './tracking/gates/routes.ts'
import { trackingRoutes } from './tracking/routes.ts'
import { webhookTestRoutes } from './webhooks/routes.ts'
import { writeBackRoutes } from './write-back/routes.ts'
import { registerWindowFiles, registerWorkbench } from './workbench/index.ts'

/** The v2 API, a plugin for each kind of record. */
const apiRoutes = [
  mailingListRoutes,
  customFieldRoutes,
  subscriberRoutes,
  subscriberImportRoutes,
  subscriberExportRoutes,
  subscriberCountRoutes,
  segmentRoutes,
  campaignRoutes,
  campaignPreviewRoutes,
  autoresponderPreviewRoutes,
  templateRoutes,
  attachmentRoutes,
  statisticsRoutes,
  jobRoutes,
  autoresponderRoutes,
  webFormRoutes,
  listPagesRoutes,
  seedListRoutes,
  suppressionListRoutes,
  deliverySettingRoutes,
  databaseConnectionRoutes,
  writeBackRoutes,
  gateRoutes,
  eventRoutes,
  webhookRoutes,
  webhookTestRoutes,
  smtpServerRoutes,
  dkimKeyRoutes,
  smtpRoutes,
  preflightRoutes,
  rehearsalRoutes,
  journalRoutes,
  receivingRoutes,
  judgementRoutes,
  mailboxRoutes,
  mailboxTestRoutes,
  organizationRoutes,
  userRoutes
]

/** Registers everything that the server answers: the v2 API, what only the window uses, links of messages, and the window's files. */
export async function registerRoutes(app: FastifyInstance): Promise<void> {
  for (const routes of apiRoutes) await app.register(routes, { prefix: apiPrefix })
  await app.register(referenceRoutes, { authenticate })
  await app.register(registerWorkbench, { prefix: '/app/v1' })
  await app.register(trackingRoutes)
  await app.register(registerWindowFiles)
}

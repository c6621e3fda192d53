import { dkimKeyById, dkimKeysOf } from '../api/dkim-keys/queries.ts'
import { deliveryRouteById, serversOfRoute, smtpServerById } from '../api/smtp-servers/queries.ts'
import { isForSender } from '../api/smtp-servers/sender-domains.ts'
import { emailComplaint, isEmail } from '../api/subscribers/rules.ts'
import { ApiError, Faults, refusalOf, validationFailed } from '../base/errors.ts'
import { type Refusal, refusal, refusalAt } from '../base/refusal.ts'
import { autoresponderById, listOfAutoresponder } from '../api/autoresponders/queries.ts'
import { campaignById } from '../api/campaigns/queries.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { autoresponderPlanOf } from './autoresponder-plan.ts'
import { campaignPlanOf, campaignToSend } from './campaign-plan.ts'
import {
  autoresponderPreviewEndpoints,
  campaignPreviewEndpoints,
  preflightEndpoints,
  rehearsalEndpoints,
  smtpEndpoints
} from './endpoints.ts'
import type { Dns } from './preflight/dns.ts'
import type { Rehearsals } from './rehearsal/rehearsals.ts'
import { presentFinding } from './preflight/findings.ts'
import { serversOfAutoresponder } from './autoresponders/queries.ts'
import { sendPreview } from './previews.ts'
import { serversOfCampaign } from './queries.ts'
import { signerFor, signingFault, signingKeysOf } from './signing.ts'
import { sendTest } from './smtp/send-test.ts'

export const smtpRoutes = serveEndpoints(smtpEndpoints, ({ reader, writer, credentials }) => ({
  'POST /smtp_servers/:id/test': async ({ caller: { organizationId }, params, body }) => {
    const { recipient: to, from_email: from = to, subject, text } = body.test
    const faults = new Faults()
    for (const [field, email] of Object.entries({ recipient: to, from_email: from })) {
      if (!isEmail(email)) faults.add(refusalAt(field, emailComplaint(email)))
    }
    faults.throwIfAny()
    const server = await smtpServerById(reader, organizationId, params.id)
    const place = server.credential_place
    const secret = place && (await credentials.read(`smtp-${server.id}`, place))
    if (server.authentication !== 'none' && secret === null) {
      throw validationFailed(refusal('smtp_no_secret', { server: server.name }))
    }
    const keys = server.signs_dkim === 1 ? [] : await signingKeysOf(reader, organizationId, credentials)
    const unsignable = signingFault(from, keys)
    if (unsignable) throw validationFailed(unsignable)
    const test = { from: from.trim(), to: to.trim(), subject, text, signer: signerFor(from, keys) }
    return ok(await sendTest(server, secret, test))
  },

  'POST /campaigns/:id/journal/resend_uncertain': async ({ caller: { organizationId }, params: { id } }) =>
    ok({ messages: await writer.run('deliveries.resendUncertain', { organizationId, id }) })
}))

declare module '../http/context.ts' {
  interface ApplicationContext {
    dns: Dns
  }
}

export const preflightRoutes = serveEndpoints(preflightEndpoints, ({ reader, dns }) => ({
  'GET /preflight': async ({ caller: { organizationId }, query }) => {
    const { from_email: sender, virtual_mta_id: routeId, return_path: returnPath = sender } = query
    const faults = new Faults()
    for (const [field, email] of Object.entries({ from_email: sender, return_path: returnPath })) {
      if (!isEmail(email)) faults.add(refusalAt(field, emailComplaint(email)))
    }
    faults.throwIfAny()
    await deliveryRouteById(reader, organizationId, routeId)
    // Loaded when it is used: its list of domains is long.
    const { preflight } = await import('./preflight/preflight.ts')
    const servers = await serversOfRoute(reader, organizationId, routeId)
    const findings = await preflight(
      {
        sender: sender.trim(),
        returnPath: returnPath.trim(),
        keys: (await dkimKeysOf(reader, organizationId)).filter(({ is_enabled }) => is_enabled === 1),
        servers: servers.filter((row) => isForSender(JSON.parse(row.sender_domains) as string[], sender))
      },
      dns
    )
    return ok(findings.map(presentFinding))
  },

  'GET /dkim_keys/:id/record': async ({ caller, params }) => {
    const key = await dkimKeyById(reader, caller.organizationId, params.id)
    const { checkDkimRecord } = await import('./preflight/preflight.ts')
    return ok(presentFinding(await checkDkimRecord(key, dns)))
  }
}))

declare module '../http/context.ts' {
  interface ApplicationContext {
    rehearsals: Rehearsals
  }
}

export const rehearsalRoutes = serveEndpoints(rehearsalEndpoints, ({ reader, rehearsals }) => ({
  'POST /campaigns/:id/rehearsal': async ({ caller, params, server }) => {
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    return ok(await rehearsals.start(id, server.listeningOrigin))
  },

  'GET /campaigns/:id/rehearsal': async ({ caller, params }) => {
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    return ok(rehearsals.get(id))
  },

  'DELETE /campaigns/:id/rehearsal': async ({ caller, params }) => {
    const { id } = await campaignById(reader, caller.organizationId, params.id)
    return ok(await rehearsals.cancel(id))
  }
}))

// Previews are messages like any other.

export const campaignPreviewRoutes = serveEndpoints(
  campaignPreviewEndpoints,
  ({ reader, writer, dataDirectory, credentials }) => ({
    'POST /campaigns/:id/send_preview': async ({ caller, params, body, server }) => {
      const { id } = await campaignById(reader, caller.organizationId, params.id)
      const campaign = await campaignToSend(reader, id)
      const servers = await serversOfCampaign(reader, id)
      const message = await campaignPlanOf(reader, campaign, {
        linkBase: server.listeningOrigin,
        leaves: servers.length > 0
      })
      const values = campaign.preview_custom_field_data
      const { recipients } = body.preview
      const record = (entry: Refusal): Promise<void> =>
        writer.run('deliveries.recordNews', { campaignId: id, log: [entry], paces: [], providers: [] })
      try {
        await sendPreview(
          { dataDirectory, reader, writer, credentials },
          { of: { campaign_id: id }, message, values, servers },
          body.preview
        )
      } catch (error) {
        const fault = error instanceof ApiError ? refusalOf(error) : null
        // What was wrong with the request is no part of the campaign's history.
        if (fault?.rule.startsWith('smtp_'))
          await record(refusal('log_preview_refused', { recipients, fault }))
        throw error
      }
      await record(refusal(servers.length > 0 ? 'log_preview' : 'log_preview_in_outbox', { recipients }))
      return ok(null)
    }
  })
)

export const autoresponderPreviewRoutes = serveEndpoints(
  autoresponderPreviewEndpoints,
  ({ reader, writer, dataDirectory, credentials }) => ({
    'POST /autoresponders/:id/send_preview': async ({ caller, params, body, server }) => {
      const listId = await listOfAutoresponder(reader, caller.organizationId, params.id)
      const list = await localListById(reader, caller.organizationId, listId, 'autoresponders')
      const row = await autoresponderById(reader, listId, params.id)
      const servers = await serversOfAutoresponder(reader, row.id)
      const message = await autoresponderPlanOf(reader, list, row, {
        linkBase: server.listeningOrigin,
        leaves: servers.length > 0,
        timeZone: caller.timeZone,
        sliceId: 0
      })
      const values = list.preview_custom_field_data
      await sendPreview(
        { dataDirectory, reader, writer, credentials },
        { of: { autoresponder_id: row.id }, message, values, servers },
        body.preview
      )
      return ok(null)
    }
  })
)

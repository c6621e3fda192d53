import { isForSender } from '../../src-main/api/smtp-servers/sender-domains.ts'
import type { SendingSettings } from '../api/sending.ts'
import type { CampaignDraft } from './campaign-draft.ts'

/** The way of a campaign's messages by SMTP. */
export interface DraftRoute {
  /** The names of its servers that may be used for the sender. */
  servers: string[]
  /** True if recipients can unsubscribe. */
  mayUnsubscribe: boolean
}

/** Returns the SMTP servers that a campaign would be sent through; undefined = it goes to the outbox. */
export function routeOfDraft(
  draft: CampaignDraft,
  { routes, servers, options }: SendingSettings
): DraftRoute | undefined {
  const route = routes.find((each) => each.virtual_mta_name === draft.sending.d_virtual_mta)
  const ids = route?.smtp_server_ids ?? []
  if (ids.length === 0) return undefined
  const sender = draft.sending.d_from_email
  return {
    servers: servers
      .filter(({ id, sender_domains: domains }) => ids.includes(id) && isForSender(domains, sender))
      .map(({ name }) => name),
    mayUnsubscribe: options.unsubscribes_elsewhere
  }
}

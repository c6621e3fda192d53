import { isForSender } from '../../src-main/api/smtp-servers/sender-domains.ts'
import type { SendingSettings } from '../api/sending.ts'
import type { CampaignDraft } from './campaign-draft.ts'

/** The way of a campaign's messages by SMTP. */
export interface DraftRoute {
  /** The names of its servers that may be used for the sender. */
  servers: string[]
  /** True if recipients can unsubscribe. */
  mayUnsubscribe: boolean
  /** 0 = the system default route. */
  virtualMtaId: number
  /** What its servers may be given together, by the limits that are set for them; Infinity without one. */
  perHour: number
  perDay: number
}

/** Returns the SMTP servers that a campaign would be sent through; undefined = it goes to the outbox. */
export function routeOfDraft(
  draft: CampaignDraft,
  { routes, servers, options, gates }: SendingSettings
): DraftRoute | undefined {
  const route = routes.find((each) => each.virtual_mta_name === draft.sending.d_virtual_mta)
  const ids = route?.smtp_server_ids ?? []
  if (ids.length === 0) return undefined
  const sender = draft.sending.d_from_email
  const used = servers.filter(
    ({ id, sender_domains: domains }) => ids.includes(id) && isForSender(domains, sender)
  )
  return {
    servers: used.map(({ name }) => name),
    mayUnsubscribe:
      options.unsubscribes_elsewhere ||
      options.receives_unsubscribes ||
      gates.includes(draft.sending.d_url_domain),
    virtualMtaId: route?.virtual_mta_id ?? 0,
    perHour: sum(
      used.map((server) => Math.min(limit(server.messages_per_minute) * 60, limit(server.messages_per_hour)))
    ),
    perDay: sum(used.map((server) => limit(server.messages_per_day)))
  }
}

/** Returns how long the limits of a route make a campaign last, in milliseconds; null if nothing limits it. @param speed messages per hour; 0 = unlimited */
export function expectedDuration(
  { perHour, perDay }: DraftRoute,
  messages: number,
  speed: number
): number | null {
  const hourly = Math.min(perHour, limit(speed))
  if (hourly === Infinity && messages <= perDay) return null
  const days = perDay === Infinity ? 0 : Math.ceil(messages / perDay) - 1
  const onLastDay = messages - days * (perDay === Infinity ? 0 : perDay)
  const hours = Math.max(days * 24 + onLastDay / hourly, messages / hourly)
  return hours * 3_600_000
}

/** 0 stands for no limit. */
function limit(most: number): number {
  return most === 0 ? Infinity : most
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

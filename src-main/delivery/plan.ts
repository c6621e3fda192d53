import type { KeyObject } from 'node:crypto'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import type { FieldDefinition, StoredValues } from '../api/custom-fields/rules.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import type { SmtpServerPlan } from './smtp/smtp-session.ts'
import type { Shares } from './split-test.ts'

/** The parts of messages that all recipients share. */
export interface MessagePlan {
  organizationId: number
  campaign: { id: number; name: string }
  xCampaignId: string
  list: { id: number; name: string }
  sender: {
    from_email: string
    from_name: string | null
    sender_email: string | null
    reply_to: string | null
  }
  /** null = the sender. */
  bounceAddress: string | null
  /** True if the bounce address takes mail to user+anything as well: then each message has its own (VERP). */
  hasPlusAddressing: boolean
  /** Header lines of the list, which may hold replacement codes. */
  customHeaders: { name: string; value: string }[]
  fields: readonly FieldDefinition[]
  timeZone: string
  /** Without a path; null = no link may lead to Listwright, since readers could not open it. */
  linkBase: string | null
  /** The gate at linkBase; null = this application answers there. */
  gate: { urlDomainId: number; address: string } | null
  /** True for a Remote List: its recipients are no subscribers, and messages have no web version. */
  isRemote: boolean
  /** True for a message that asks to confirm an address: it belongs to no list yet, so there is nothing to unsubscribe from. */
  asksToConfirm: boolean
  /** True if the message leaves this computer, so that its headers must hold for readers elsewhere. */
  leaves: boolean
  /** True = recipients load images from there; otherwise they are embedded. */
  linksImages: boolean
  /** The installation's key for tokens in links. */
  signingSecret: KeyObject
  tracksOpens: boolean
  /** The organization's header and footer. */
  frame: Frame
  contents: [PlannedContent, ...PlannedContent[]]
  /** The campaign whose attachments each message carries; null = it has none. */
  attachmentsOf: number | null
}

/** Texts with replacement codes; '' = nothing. */
export interface Frame {
  html_header: string
  html_footer: string
  text_header: string
  text_footer: string
}

export interface PlannedContent {
  id: number
  name: string
  subject: string
  format: ContentFormat
  html: string
  text: string
  /** The statistics id; 0 = not counted. */
  sliceId: number
  /** Links whose clicks are counted. */
  links: { id: number; url: string }[]
}

/** The recipients of this phase. */
export type DeliveryPass =
  | { kind: 'everybody' }
  | { kind: 'split_testing' }
  /** Recipients outside of the split test get the winner. */
  | { kind: 'winner'; contentId: number }

/** A server of a route, with what it was agreed to get. */
export interface RouteServer extends SmtpServerPlan {
  connections: number
  /** 0 = any number. */
  messagesPerConnection: number
  needsSecret: boolean
  /** True = messages are handed over unsigned. */
  signsDkim: boolean
}

/** The way of a campaign's messages by SMTP. */
export interface SmtpRoute {
  name: string
  /** Those that may be used for the sender; the least busy takes the next messages. */
  servers: RouteServer[]
  /** True if recipients have a way to unsubscribe. */
  mayUnsubscribe: boolean
  /** How often in a row no server could be used. */
  failures: number
  /** When the servers were read, in UNIX milliseconds. */
  readAt: number
}

/** Where the recipients of a Remote List come from. */
export interface RemotePlan {
  query: string
  /** What was read, and when, in UNIX milliseconds; null = it has yet to be. */
  spool: { fileKey: string; readAt: number } | null
}

/** A campaign that is being sent: what its thread needs. */
export interface DeliveryPlan {
  message: MessagePlan
  pass: DeliveryPass
  /** null until drawn, or with one content. */
  shares: Shares | null
  /** The share of tested recipients, 0 to 100. */
  percentage: number
  /** True if the links are stored. */
  hasLinks: boolean
  recipients: {
    organizationId: number
    mailingListId: number
    clause: SettledCondition[]
    /** The newest subscriber when sending began. */
    lastId: number
    chooseFormat: boolean
    /** null = not counted yet. */
    count: number | null
  }
  /** null = the recipients are subscribers. */
  remote: RemotePlan | null
  /** The servers that take the messages; null = the outbox. */
  route: SmtpRoute | null
  seeds: { addresses: string[]; values: StoredValues }
  /** Messages per hour; 0 = as fast as it goes. */
  speed: number
  /** The last subscriber that was dealt with, and where the transport stood then. */
  progress: { afterId: number; position: number }
}

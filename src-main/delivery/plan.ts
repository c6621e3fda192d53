import type { KeyObject } from 'node:crypto'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import type { FieldDefinition, StoredValues } from '../api/custom-fields/rules.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import type { Shares } from './split-test.ts'

/** What messages are made of, whoever gets them. */
export interface MessagePlan {
  organizationId: number
  campaign: { id: number; name: string }
  /** For the header X-CampaignID. */
  xCampaignId: string
  list: { id: number; name: string }
  sender: {
    from_email: string
    from_name: string | null
    sender_email: string | null
    reply_to: string | null
  }
  /** Where bounces go; null = to the sender. */
  bounceAddress: string | null
  /** Header lines of the list, which may hold replacement codes. */
  customHeaders: { name: string; value: string }[]
  fields: FieldDefinition[]
  timeZone: string
  /** Where links in messages lead, without a path. */
  linkBase: string
  /** Whether recipients fetch pictures from there; else each message carries its own. */
  linksImages: boolean
  /** Of this installation, for the tokens in links. */
  signingSecret: KeyObject
  tracksOpens: boolean
  /** What the organization has before and after each content. */
  frame: Frame
  contents: [PlannedContent, ...PlannedContent[]]
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
  /** What its statistics are counted under; 0 when nothing is counted. */
  sliceId: number
  /** Links whose clicks are counted, and their ids; none when they are not. */
  links: { id: number; url: string }[]
}

/** Who gets messages in this phase of a delivery. */
export type DeliveryPass =
  | { kind: 'everybody' }
  | { kind: 'split_testing' }
  /** Those who were not in the split test get the content that won it. */
  | { kind: 'winner'; contentId: number }

/** A campaign that is being sent: what its thread needs. */
export interface DeliveryPlan {
  message: MessagePlan
  pass: DeliveryPass
  /** Who gets which content; null until that was drawn, and where there is one content only. */
  shares: Shares | null
  /** How many of the recipients are tested, 0 to 100. */
  percentage: number
  /** Whether the links of the contents are noted. */
  hasLinks: boolean
  recipients: {
    organizationId: number
    mailingListId: number
    clause: SettledCondition[]
    /** The newest subscriber when sending began. */
    lastId: number
    /** Whether subscribers say which format they want. */
    chooseFormat: boolean
    isCounted: boolean
  }
  seeds: { addresses: string[]; values: StoredValues }
  /** Messages per hour; 0 = as fast as it goes. */
  speed: number
  /** The last subscriber that was dealt with, and where the transport stood then. */
  progress: { afterId: number; position: number }
}

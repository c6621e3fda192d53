import { isRemoteId, seqIdOf } from '../api/remote-lists/recipient-ids.ts'
import type { Addressee } from './message.ts'
import type { DeliveryPlan } from './plan.ts'
import type { RecipientRow } from './queries.ts'
import type { RecipientSource } from './recipient-source.ts'
import { drawOf, testedContent } from './split-test.ts'

/** A message that is to be composed. */
export interface Mail {
  contentId: number
  sliceId: number
  addressee: Addressee
  /** Messages to seed lists are no recipients of the campaign. */
  isSeed: boolean
}

/** The next recipients of a campaign. */
export interface NextRecipients {
  mails: Mail[]
  /** How many of those read are suppressed, or have removed themselves from a Remote List. */
  suppressed: number
  /** The last recipient that was read. */
  afterId: number
  isLast: boolean
}

/** Reads the next recipients of a plan's phase, without suppressed ones; those of seed lists come before all others. */
export async function nextRecipients(
  source: RecipientSource,
  plan: DeliveryPlan,
  afterId: number,
  atOnce: number
): Promise<NextRecipients> {
  const rows = await source.after(afterId, atOnce)
  const chosen = rows.flatMap((row) => mailFor(plan, addresseeOf(row, plan.recipients.chooseFormat)))
  const leftOut = await source.leftOut(chosen.map(({ addressee }) => addressee.email))
  const mails = chosen.filter(({ addressee }) => !leftOut.has(addressee.email))
  return {
    mails,
    suppressed: chosen.length - mails.length,
    afterId: rows.at(-1)?.id ?? afterId,
    isLast: rows.length < atOnce
  }
}

/** A recipient of a Remote List as it is stored once their message is handed over. */
export interface HandedOverRecipient {
  seq_id: number
  email: string
  distinct_id: number | null
}

/** Returns the recipients of messages who are no subscribers; none for a list with subscribers. */
export function toHandedOverRecipients(mails: readonly Mail[]): HandedOverRecipient[] {
  return mails
    .filter(({ addressee }) => isRemoteId(addressee.id))
    .map(({ addressee: { id, email, distinct_id } }) => ({
      ...{ seq_id: seqIdOf(id), email, distinct_id: distinct_id ?? null }
    }))
}

/** Returns the messages to the plan's seed lists: each content to each address. */
export function seedMails({ seeds, message }: DeliveryPlan): Mail[] {
  return seeds.addresses.flatMap((email) =>
    message.contents.map(({ id, sliceId }) => ({
      contentId: id,
      sliceId,
      addressee: {
        id: 0,
        email,
        subscribe_time: Date.now(),
        subscribe_ip: null,
        values: seeds.values,
        format: null
      },
      isSeed: true
    }))
  )
}

function mailFor({ message, pass, shares }: DeliveryPlan, addressee: Addressee): Mail[] {
  const { contents, campaign } = message
  const place = shares ? testedContent(shares, drawOf(campaign.id, addressee.id)) : 0
  if (pass.kind === 'winner' && place !== null) return []
  const content =
    pass.kind === 'winner'
      ? contents.find(({ id }) => id === pass.contentId)
      : place === null
        ? undefined
        : contents[place]
  return content ? [{ contentId: content.id, sliceId: content.sliceId, addressee, isSeed: false }] : []
}

/** @param chooseFormat true if subscribers choose the format of their messages */
export function addresseeOf(row: RecipientRow, chooseFormat: boolean): Addressee {
  const { custom_fields, email_format, ...rest } = row
  return {
    ...rest,
    values: JSON.parse(custom_fields) as Addressee['values'],
    format: chooseFormat && email_format === 'plaintext' ? 'text' : null
  }
}

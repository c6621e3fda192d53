import type { SettledCondition } from '../../api/segments/settled.ts'
import type { MessagePlan, SmtpRoute } from '../plan.ts'

/** An autoresponder whose messages are due: what its thread needs. */
export interface AutoresponderPlan {
  message: MessagePlan
  organizationId: number
  mailingListId: number
  /** The statistics id of its content. */
  sliceId: number
  /** null = the outbox. */
  route: SmtpRoute | null
  /** The length of its outbox file in bytes up to which messages are counted. */
  position: number
  chooseFormat: boolean
  /** The conditions that recipients must meet when their message is due. */
  clause: SettledCondition[]
  /** The content whose openings keep a message from being sent; null = none. */
  unlessOpened: number | null
}

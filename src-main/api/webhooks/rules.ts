import { createHmac, type KeyObject } from 'node:crypto'

/** Longest answer of a receiver that is kept, in characters. */
export const maxAnswerLength = 500

/** Messages, and events in them, that are stored ahead of their delivery: a receiver that refuses as many gets no new ones. */
export const maxWaiting = { messages: 2000, events: 20_000 }

/**
 * Returns the `webhook-id` of a message: the same for the same events, however often they are sent, and another one for each
 * installation.
 */
export function webhookIdOf(
  signingSecret: KeyObject,
  { webhook_id: webhookId, first_event_id: first, last_event_id: last }: MessageEvents
): string {
  const installation = createHmac('sha256', signingSecret).update('webhooks').digest('hex').slice(0, 12)
  return `msg_${installation}_${webhookId}_${first}${last === first ? '' : `_${last}`}`
}

interface MessageEvents {
  webhook_id: number
  first_event_id: number
  last_event_id: number
}

import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import { splitWords } from './list.ts'
import { statusKey } from '../schema.ts'

const words: Record<SubscriberStatus, readonly string[]> = {
  active: splitWords(`
    subscribed, active, enabled, confirmed, opted in, opt in, optin, double opt in, single opt in,
    verified, mailable, sendable, engaged, valid, subscriber, marketing contact, explicit, implicit,
    express, allowed, granted, aktiv, angemeldet, abonniert, abonnent, bestätigt, eingetragen,
    freigegeben, doi, opt in confirmed, given, erteilt, cold, implied, allow, erlaubt, not blocked, nicht gesperrt
  `),
  unsubscribed: splitWords(`
    unsubscribed, unsubscribe, unsub, opted out, opt out, optout, never subscribed, not subscribed,
    nonsubscribed, non subscribed, no consent, removed, blocklisted, blacklisted, blocked, suppressed,
    do not email, do not contact, non marketing contact, unsubscribed by user, unsubscribed by admin,
    global unsubscribe, revoked, withdrawn, denied, cancelled, canceled, abgemeldet, ausgetragen, gesperrt, widerrufen,
    gekündigt, nicht angemeldet, nicht abonniert, nie abonniert, nicht mehr abonniert, not given, verweigert,
    abgelehnt, declined, refused, user suppressed, transactional, abbestellt, abbestellung, stop, stopped, zurückgezogen, do not allow, disallow,
    nicht erlaubt, storniert
  `),
  bounced: splitWords(`
    bounced, bounce, hard bounce, hard bounced, hardbounce, soft bounce, soft bounced, cleaned,
    undeliverable, invalid, invalid email, unzustellbar, ungültig, zurückgewiesen, held, on hold,
    returned, bereinigt, gebounct, gebounced
  `),
  scomp: splitWords(`
    scomp, junk, complaint, complained, spam, spam complaint, abuse, abuse complaint, marked as spam,
    reported spam, spam report, beschwerde, spambeschwerde, spam gemeldet, abused, unerwünscht
  `),
  deactivated: splitWords(`
    deactivated, inactive, disabled, archived, deleted, pending, unconfirmed, not confirmed,
    awaiting confirmation, unverified, paused, expired, inaktiv, deaktiviert, unbestätigt, ausstehend,
    nicht bestätigt, archiviert, gelöscht, validating, needs attention
  `)
}

const statusByWord = new Map<string, SubscriberStatus>()
for (const [status, names] of Object.entries(words) as [SubscriberStatus, readonly string[]][]) {
  for (const name of names) statusByWord.set(name, status)
}

/** Returns the status for another service's word, or null. */
export function statusOfWord(word: string): SubscriberStatus | null {
  const key = statusKey(word)
  return statusByWord.get(key) ?? (leavingStart.test(key) ? 'unsubscribed' : null)
}

/**
 * Words of leaving that are followed by a date or reason: "abgemeldet am 12.03.2021", "unsubscribed via
 * link".
 */
const leavingStart =
  /^(?:unsubscribed|opted out|abgemeldet|abbestellt|ausgetragen|gekündigt|widerrufen|zurückgezogen)(?![\p{L}\p{N}])/u

/** Words that only concern mailing: they make a column of any name a status column. */
const telling =
  /^(?:un)?subscribed|^opt(?:ed)? ?(?:in|out)$|^opted out(?![\p{L}\p{N}])|^never subscribed|bounced?$|^cleaned$|^(?:abgemeldet|abbestellt)(?![\p{L}\p{N}])|^bereinigt$|^angemeldet$|^block ?listed$|^blacklisted$|^scomp$|^spam complaint$|^unsub$/u

export function isTellingWord(word: string): boolean {
  return telling.test(statusKey(word))
}

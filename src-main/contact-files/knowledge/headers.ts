// What the columns of contact files are called by the services and address books that write them, in English and German. Names are
// compared as headerKey() writes them. Taken from the export files and the published help pages of: Mailchimp, Klaviyo, Brevo
// (Sendinblue), HubSpot, Shopify, WooCommerce, Ghost, Substack, Beehiiv, ConvertKit (Kit), ActiveCampaign, Campaign Monitor, Constant
// Contact, MailerLite, CleverReach, rapidmail, GetResponse, AWeber, Sendy, listmonk, Mautic, Squarespace, Wix, Eventbrite, LinkedIn,
// Google Contacts, Outlook, Apple Contacts, Thunderbird and Salesforce.

import { splitWords } from './list.ts'

/** The meaning of a column for an import. */
export type ColumnRole =
  | 'email'
  | 'status'
  | 'email_format'
  | 'subscribe_time'
  | 'subscribe_ip'
  | 'confirm_time'
  | 'confirm_ip'
  | 'remove_time'
  | 'remove_ip'
  /** Yes: may be mailed. */
  | 'consent'
  /** Yes: must not be mailed. */
  | 'opt_out'
  | 'bounce'
  | 'complaint'
  /** When a subscriber was deactivated. */
  | 'deactivation'
  /** When a subscriber confirmed, in exports of services with confirmed opt-in. */
  | 'activation'
  /** No: the address does not exist. */
  | 'validity'
  /** Why a row failed, in a list of failed rows. */
  | 'failure'
  /** Digits that are not a number. */
  | 'digits'

const sameMeaning: readonly (readonly string[])[] = [
  splitWords('first name, firstname, fname, given name, forename, vorname, vname, prename'),
  splitWords('last name, lastname, lname, surname, family name, nachname, familienname, zuname, name last'),
  splitWords('name, full name, fullname, display name, contact name, vollständiger name, anzeigename, fn'),
  splitWords('salutation, anrede, title, titel, prefix, name prefix'),
  splitWords('gender, sex, geschlecht'),
  splitWords('company, company name, organization, organisation, organization name, firma, unternehmen, org'),
  splitWords('position, job title, jobtitle, role, funktion, berufsbezeichnung'),
  splitWords('phone, phone number, telephone, tel, telefon, telefonnummer, phone 1 value, primary phone'),
  splitWords('mobile, mobile phone, cell, cell phone, handy, mobil, mobiltelefon'),
  splitWords(
    'street, address, street address, address 1, address line 1, straße, strasse, adresse, anschrift'
  ),
  splitWords('city, town, ort, stadt, wohnort, locality'),
  splitWords('zip, zip code, zipcode, postal code, postcode, post code, plz, postleitzahl'),
  splitWords('state, region, province, bundesland, kanton'),
  splitWords('country, land, country region'),
  splitWords('birthday, date of birth, birth date, birthdate, dob, geburtstag, geburtsdatum'),
  splitWords('language, sprache, locale, preferred language'),
  splitWords('notes, note, comment, comments, notiz, notizen, bemerkung, bemerkungen, kommentar'),
  splitWords('website, url, web site, homepage, webseite, web page'),
  splitWords('tags, labels, tag, schlagwörter, schlagworte, stichworte, categories, kategorien')
]

const roles: Record<ColumnRole, readonly string[]> = {
  email: splitWords(`
    email, e mail, mail, email address, e mail address, mail address, emailaddress, email id,
    subscriber email, contact email, primary email, primary e mail, e mail 1 value, email 1 value,
    email 1, e mail 1, e mail 1 adresse, email address 1, work email, user email, customer email,
    buyer email, billing email, e mail adresse, emailadresse, mailadresse, mail adresse, e mailadresse,
    email adresse, kontakt email, recipient, recipients, empfänger, subscriber, abonnent, login,
    adresse e mail, correo electrónico, courriel
  `),
  status: splitWords(`
    status, subscriber status, subscription status, email status, member status, contact status, state,
    email subscription status, list status, mailing status, newsletter status, abo status, abostatus,
    e mail status, email marketing status, subscriber state, email subscriber status, marketing status,
    anmeldestatus, zustand, mailstatus, e mail abo, newsletter abo
  `),
  email_format: splitWords(`
    email format, email type, format, e mail format, preferred format, mail format
  `),
  subscribe_time: splitWords(`
    subscribe time, subscribed at, subscribe date, subscription date, date subscribed, subscribed date, subscribed on,
    optin time, opt in time, optin date, opt in date, opted in at, opt in timestamp, date opted in,
    signup date, sign up date, signed up at, signup time, date signed up, joined at, date added,
    added at, added on, date joined, email marketing consent timestamp, consent timestamp,
    consent date, consent time, consented at, email consent date, email consent timestamp,
    marketing consent date, email marketing consent date, subscription time, registered, anmeldedatum,
    angemeldet am, anmeldung, anmeldezeitpunkt, eingetragen am, registriert am, einwilligung am,
    opt in datum, optin datum, registration date, date de confirmation, date created,
    subscribe timestamp
  `),
  subscribe_ip: splitWords(`
    subscribe ip, optin ip, opt in ip, signup ip, sign up ip, ip address, ip, consent ip,
    subscription ip, anmelde ip, ip adresse, registration ip, opt in ip address, subscriber ip
  `),
  confirm_time: splitWords(`
    confirm time, confirmed, confirmed at, confirmation time, confirmation date, date confirmed,
    confirmed on, verified, email verified, email confirmed, e mail bestätigt, doi, bestätigt, bestätigt am, confirmed time, verified at, doi time, double opt in time,
    double opt in date, doi date, is confirmed
  `),
  confirm_ip: splitWords(
    'confirm ip, confirmed ip, confirmation ip, bestätigungs ip, doi ip, double opt in ip'
  ),
  remove_time: splitWords(`
    remove time, removed at, unsubscribe time, unsub time, unsubscribed at, unsubscribe date,
    unsubscribed date, date unsubscribed, unsubscribed on, unsubscription date, opt out time,
    opt out date, optout time, optout date, opted out at, abmeldedatum, abgemeldet am,
    abmeldezeitpunkt, ausgetragen am, unsubscribe timestamp, unsubscribed time
  `),
  remove_ip: splitWords('remove ip, unsubscribe ip, unsub ip, opt out ip, optout ip, abmelde ip'),
  consent: splitWords(`
    email marketing consent,
    accepts marketing, accepts email marketing, marketing consent, email consent, consent, subscribed,
    subscribed to emails, is subscribed, email opt in, email optin, opt in, optin, opted in,
    opt in status, newsletter, newsletter abonniert, receives newsletter, receive newsletter,
    newsletter subscription, newsletter opt in, email marketing, marketing emails, marketing allowed,
    marketing permission, email permission, permission, may email, einwilligung, zustimmung,
    newsletter einwilligung, werbeeinwilligung, angemeldet, abonniert, erlaubnis, dsgvo,
    marketing contact status, marketing contact, gdpr consent, email subscription, email enabled,
    enabled, active, aktiv, subscribed to newsletter, email subscribed, newsletter anmeldung,
    emails enabled, e mail werbung, mailing list, join our mailing list, subscribe, promotional emails,
    send emails, ok to email, verteiler, e mail verteiler, email verteiler, werbung, werbeerlaubnis,
    rundmail, news per e mail, is active
  `),
  opt_out: splitWords(`
    unsubscribed, unsubscribe, opt out, optout, opted out, email opt out, email optout,
    has opted out of email, unsubscribed from all email, unsubscribed from all, do not email,
    do not mail, do not contact, no email, donotemail, blacklisted, blacklist, email blacklisted,
    blocklisted, email blocklisted, blocked, suppressed, email suppressions, suppression,
    suppression reason, suppressions, email disabled, disabled, unsub reason, unsub reason other,
    unsub campaign title, unsub campaign id, unsubscribe reason, reason for unsubscribing,
    global unsubscribe, inactive, abgemeldet, abmeldung, abmeldegrund, ausgetragen, gesperrt, sperre,
    werbesperre, keine werbung, keine e mails, widerrufen, widerruf, widerspruch, keine newsletter,
    keine mails, email opted out, unsubscribed email, is unsubscribed, account email opt out,
    do not bulk email, do not allow emails, do not allow bulk emails, is blocked
  `),
  bounce: splitWords(`
    bounced, bounce, hard bounce, hard bounced, email hard bounce reason, bounce reason, bounce date,
    bounce time, hard bounces, email bounced, email bounced reason, email bounced date, clean time,
    clean campaign title, clean campaign id, cleaned, on hold, email on hold, undeliverable,
    unzustellbar, invalid email, hard bounced at, bounced at
  `),
  complaint: splitWords(`
    complaint, complained, spam complaint, spam report, spam reported, marked as spam, abuse complaint,
    beschwerde, spam, complained at, complaint date, spambeschwerde
  `),
  deactivation: splitWords(`
    deactivated, deactivated at, deactivation date, deaktiviert, deaktiviert am, deleted at, archived at, gelöscht am,
    is deleted, deleted, archived, is archived
  `),
  activation: [],
  validity: splitWords('email valid, valid email, is valid, email gültig, e mail gültig, gültige e mail'),
  failure: splitWords(`
    error, fehler, error message, fehlermeldung, import error, failure, why, reason of failure
  `),
  digits: splitWords(`
    zip, zip code, zipcode, postal code, postcode, plz, postleitzahl, default address zip, billing zip,
    shipping zip, phone, phone number, telefon, telefonnummer, mobile, mobile phone, handy, fax, tel,
    default address phone, customer id, customer number, kundennummer, kunden nr, mitgliedsnummer,
    member number, account number, iban, sku, order id, order number, bestellnummer, vat number,
    tax id, steuernummer, leid, euid, record id, contact id, id
  `)
}

const maxHeaderLength = 200

/** Normalizes a header: lower case, punctuation and underscores as spaces. */
export function headerKey(header: string): string {
  return (
    header
      .slice(0, maxHeaderLength)
      .normalize('NFC')
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      // Some files write "UnSubscribed" as two words.
      .replace(/(?<![\p{L}\p{N}])un subscri/u, 'unsubscri')
  )
}

const rolesByKey = new Map<string, ColumnRole[]>()
for (const [role, names] of Object.entries(roles) as [ColumnRole, readonly string[]][]) {
  for (const name of names) rolesByKey.set(name, [...(rolesByKey.get(name) ?? []), role])
}

const rolesByJoinedKey = new Map(
  [...rolesByKey]
    .filter(([name]) => name.includes(' '))
    .map(([name, itsRoles]) => [name.replaceAll(' ', ''), itsRoles])
)

/** Matches whole words of a header, where umlauts are letters, unlike for \b. */
function words(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern.replaceAll('*', '\\p{L}*')})(?![\\p{L}\\p{N}])`, 'u')
}

const emailWords = words('e ?mails?|newsletter*|news letters?|mailings?|mails?')
const otherChannel = words(
  'sms|phone|telefon*|call|calls|anruf*|fax|post|postal|whats ?app|push|text message|mobile|letter|letters|brief*'
)
const about = words(
  'campaign|title|id|source|method|form|text|wording|version|link|*link|url|list|count|number|quelle|interest*|topic*|rate|score|' +
    'hash|token|code|key|check|answer|instruction|belehrung|*belehrung|frist|*frist|name|policy|deadline|möglich*|protection|' +
    'track*|photo*|foto*|bild*|video*|cookie*|dritte*|third|*weitergabe|partner|opens?|clicks?|opened|sent|received|page|' +
    'frequency|language|sprache|account|quote|preis'
)
const consents = words(
  'consent*|opt(?:ed)? ?in|accepts? (?:e ?mail )?marketing|subscribed|newsletter*|news letters?|*einwillig*|*zustimm*|' +
    'marketing (?:permission|allowed|e ?mails?)|e ?mail updates|infomail*|rundschreiben*'
)
const permits = words('receive*|receiving|erlaubt|allowed|kontaktiert*|erhalten|erwünscht|updates|may|darf')
const mailing = words('e ?mails?|mailings?|werbung|rund*|marketing')
const negation = words(
  'no|not|non|kein*|nicht|nein|ohne|exclude*|without|withdraw*|revok*|declin*|refus*|denied|cancel*|stop*|sperr*|*sperre|' +
    'abbestell*|gekündigt|kündig*|zurückgezogen|entzogen|verweigert|abgelehnt|unerwünscht|disabled|bis|ende|ended|until'
)
const bothAnswers = words('ja nein|yes no|j n|y n|true false')
const objections = words(
  'unsub*|opt(?:ed)? ?out|do not (?:send )?(?:e ?mails?|mail|contact)|black ?list*|block ?list*|suppress*|abgemeldet|abmeld*|' +
    'ausgetragen|widerruf*|widerspr*|*sperre|keine? (?:werbung|newsletter|e ?mails?)|(?:e ?mails?|mailings?) (?:delivery )?disabled'
)
const bounces = words('(?:hard |soft )?bounced?|undeliverable|unzustellbar|on hold|cleaned')
const complaints = words('spam|complain*|abuse|*beschwerde')

/** True if a header is about another channel than email. */
export function isOtherChannel(header: string): boolean {
  const key = headerKey(header)
  return otherChannel.test(key) && !emailWords.test(key)
}

/** Returns the possible meanings of a header, best guess first; the values decide. */
export function headerRoles(header: string): ColumnRole[] {
  const key = headerKey(header)
  const known = rolesByKey.get(key) ?? rolesByJoinedKey.get(key.replaceAll(' ', ''))
  if (known) return known
  const role = isOtherChannel(header) || about.test(key) ? null : roleInWords(key)
  return role ? [role] : []
}

/** Roles in which nearly any value excludes a contact. */
export const objectionRoles: readonly ColumnRole[] = [
  'opt_out',
  'bounce',
  'complaint',
  'deactivation',
  'remove_time'
]
const statusRoles: readonly ColumnRole[] = ['status', 'consent', ...objectionRoles]

/** True if a column with this header may tell who must not be mailed. */
export function saysStatus(header: string): boolean {
  return headerRoles(header).some((role) => statusRoles.includes(role))
}

function roleInWords(key: string): ColumnRole | null {
  if (complaints.test(key)) return 'complaint'
  if (bounces.test(key)) return 'bounce'
  if (objections.test(key)) return 'opt_out'
  const isMailing = mailing.test(key)
  // A header such as "Newsletter ja/nein" names both answers.
  const asked = key.replace(bothAnswers, '')
  if (negation.test(asked) && (isMailing || consents.test(key))) return 'opt_out'
  return consents.test(key) || (isMailing && permits.test(key)) ? 'consent' : null
}

/** Consents that may be to something else than mail: a no counts, a yes is not enough. */
const weakConsents = new Set(
  splitWords(
    'active, aktiv, enabled, is active, dsgvo, gdpr consent, marketing contact status, marketing contact'
  )
)

export function isWeakConsent(header: string): boolean {
  return weakConsents.has(headerKey(header))
}

const someoneElse = words(
  'owner|sponsor|assistant|assistent*|sender|created by|to|manager|parent|referr*|sales|rep|agent|besitzer|betreuer*|erstellt*|absender'
)

export function isAboutSomeoneElse(header: string): boolean {
  return someoneElse.test(headerKey(header))
}

const buyers = words('buyer|purchaser|käufer*|besteller*')

export function isAboutBuyer(header: string): boolean {
  return buyers.test(headerKey(header))
}

const lists = words('verteiler|mailing list|list|liste')

/** True if a header may name a list, so that its numbers are list numbers. */
export function namesList(header: string): boolean {
  return lists.test(headerKey(header))
}

/** Words for days of a year, with or without the year. */
const yearlyDay = words(
  'birthday*|birth*|dob|geburtstag*|geburts*|geb|*jahrestag|anniversar*|namenstag|name day'
)

export function isYearlyDay(header: string): boolean {
  return yearlyDay.test(headerKey(header))
}

/** True for fields whose values look like yes or no but are not. */
export function holdsOwnWords(header: string): boolean {
  return ['gender', 'country', 'state', 'name', 'first name', 'last name', 'language'].some((name) =>
    namesLike(header).includes(name)
  )
}

/** Returns the synonyms of a header, including itself, as headerKey() writes them. */
export function namesLike(header: string): readonly string[] {
  const key = headerKey(header)
  return sameMeaning.find((names) => names.includes(key)) ?? [key]
}

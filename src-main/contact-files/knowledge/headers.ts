// What the columns of contact files are called by the services and address books that write them, in English and German. Names are
// compared as headerKey() writes them. Taken from the export files and the published help pages of: Mailchimp, Klaviyo, Brevo
// (Sendinblue), HubSpot, Shopify, WooCommerce, Ghost, Substack, Beehiiv, ConvertKit (Kit), ActiveCampaign, Campaign Monitor, Constant
// Contact, MailerLite, CleverReach, rapidmail, GetResponse, AWeber, Sendy, listmonk, Mautic, Squarespace, Wix, Eventbrite, LinkedIn,
// Google Contacts, Outlook, Apple Contacts, Thunderbird and Salesforce.

import { list } from './list.ts'

/** What a column is about, as far as an import cares. */
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
  /** Yes means: may be written to. */
  | 'consent'
  /** Yes means: must not be written to. */
  | 'opt_out'
  | 'bounce'
  | 'complaint'
  /** When a subscriber was switched off. */
  | 'deactivation'
  /** When a subscriber confirmed, of a service that writes to nobody before. */
  | 'activation'
  /** No means: the address does not exist. */
  | 'validity'
  /** Why a row failed, in a list of failed rows. */
  | 'failure'
  /** Digits that are no number. */
  | 'digits'

/** Fields by what they hold: a column goes to a field of the list that is called otherwise and means the same. */
const sameMeaning: readonly (readonly string[])[] = [
  list('first name, firstname, fname, given name, forename, vorname, vname, prename'),
  list('last name, lastname, lname, surname, family name, nachname, familienname, zuname, name last'),
  list('name, full name, fullname, display name, contact name, vollständiger name, anzeigename, fn'),
  list('salutation, anrede, title, titel, prefix, name prefix'),
  list('gender, sex, geschlecht'),
  list('company, company name, organization, organisation, organization name, firma, unternehmen, org'),
  list('position, job title, jobtitle, role, funktion, berufsbezeichnung'),
  list('phone, phone number, telephone, tel, telefon, telefonnummer, phone 1 value, primary phone'),
  list('mobile, mobile phone, cell, cell phone, handy, mobil, mobiltelefon'),
  list('street, address, street address, address 1, address line 1, straße, strasse, adresse, anschrift'),
  list('city, town, ort, stadt, wohnort, locality'),
  list('zip, zip code, zipcode, postal code, postcode, post code, plz, postleitzahl'),
  list('state, region, province, bundesland, kanton'),
  list('country, land, country region'),
  list('birthday, date of birth, birth date, birthdate, dob, geburtstag, geburtsdatum'),
  list('language, sprache, locale, preferred language'),
  list('notes, note, comment, comments, notiz, notizen, bemerkung, bemerkungen, kommentar'),
  list('website, url, web site, homepage, webseite, web page'),
  list('tags, labels, tag, schlagwörter, schlagworte, stichworte, categories, kategorien')
]

const roles: Record<ColumnRole, readonly string[]> = {
  email: list(`
    email, e mail, mail, email address, e mail address, mail address, emailaddress, email id,
    subscriber email, contact email, primary email, primary e mail, e mail 1 value, email 1 value,
    email 1, e mail 1, e mail 1 adresse, email address 1, work email, user email, customer email,
    buyer email, billing email, e mail adresse, emailadresse, mailadresse, mail adresse, e mailadresse,
    email adresse, kontakt email, recipient, recipients, empfänger, subscriber, abonnent, login,
    adresse e mail, correo electrónico, courriel
  `),
  status: list(`
    status, subscriber status, subscription status, email status, member status, contact status, state,
    email subscription status, list status, mailing status, newsletter status, abo status, abostatus,
    e mail status, email marketing status, subscriber state, email subscriber status, marketing status,
    anmeldestatus, zustand, mailstatus, e mail abo, newsletter abo
  `),
  email_format: list(`
    email format, email type, format, e mail format, preferred format, mail format
  `),
  subscribe_time: list(`
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
  subscribe_ip: list(`
    subscribe ip, optin ip, opt in ip, signup ip, sign up ip, ip address, ip, consent ip,
    subscription ip, anmelde ip, ip adresse, registration ip, opt in ip address, subscriber ip
  `),
  confirm_time: list(`
    confirm time, confirmed, confirmed at, confirmation time, confirmation date, date confirmed,
    confirmed on, verified, email verified, email confirmed, e mail bestätigt, doi, bestätigt, bestätigt am, confirmed time, verified at, doi time, double opt in time,
    double opt in date, doi date, is confirmed
  `),
  confirm_ip: list('confirm ip, confirmed ip, confirmation ip, bestätigungs ip, doi ip, double opt in ip'),
  remove_time: list(`
    remove time, removed at, unsubscribe time, unsub time, unsubscribed at, unsubscribe date,
    unsubscribed date, date unsubscribed, unsubscribed on, unsubscription date, opt out time,
    opt out date, optout time, optout date, opted out at, abmeldedatum, abgemeldet am,
    abmeldezeitpunkt, ausgetragen am, unsubscribe timestamp, unsubscribed time
  `),
  remove_ip: list('remove ip, unsubscribe ip, unsub ip, opt out ip, optout ip, abmelde ip'),
  consent: list(`
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
  opt_out: list(`
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
  bounce: list(`
    bounced, bounce, hard bounce, hard bounced, email hard bounce reason, bounce reason, bounce date,
    bounce time, hard bounces, email bounced, email bounced reason, email bounced date, clean time,
    clean campaign title, clean campaign id, cleaned, on hold, email on hold, undeliverable,
    unzustellbar, invalid email, hard bounced at, bounced at
  `),
  complaint: list(`
    complaint, complained, spam complaint, spam report, spam reported, marked as spam, abuse complaint,
    beschwerde, spam, complained at, complaint date, spambeschwerde
  `),
  deactivation: list(`
    deactivated, deactivated at, deactivation date, deaktiviert, deaktiviert am, deleted at, archived at, gelöscht am,
    is deleted, deleted, archived, is archived
  `),
  activation: [],
  validity: list('email valid, valid email, is valid, email gültig, e mail gültig, gültige e mail'),
  failure: list(`
    error, fehler, error message, fehlermeldung, import error, failure, why, reason of failure
  `),
  digits: list(`
    zip, zip code, zipcode, postal code, postcode, plz, postleitzahl, default address zip, billing zip,
    shipping zip, phone, phone number, telefon, telefonnummer, mobile, mobile phone, handy, fax, tel,
    default address phone, customer id, customer number, kundennummer, kunden nr, mitgliedsnummer,
    member number, account number, iban, sku, order id, order number, bestellnummer, vat number,
    tax id, steuernummer, leid, euid, record id, contact id, id
  `)
}

/** What is compared of a header, in characters. */
const maxHeaderLength = 200

/** A header as it is compared: lower-cased, punctuation and underscores as spaces. */
export function headerKey(header: string): string {
  return (
    header
      .slice(0, maxHeaderLength)
      .normalize('NFC')
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      // "UnSubscribed" is one word.
      .replace(/(?<![\p{L}\p{N}])un subscri/u, 'unsubscri')
  )
}

const rolesByKey = new Map<string, ColumnRole[]>()
for (const [role, names] of Object.entries(roles) as [ColumnRole, readonly string[]][]) {
  for (const name of names) rolesByKey.set(name, [...(rolesByKey.get(name) ?? []), role])
}

/** Names of several words as databases write them: HASOPTEDOUTOFEMAIL. */
const rolesByJoinedKey = new Map(
  [...rolesByKey]
    .filter(([name]) => name.includes(' '))
    .map(([name, itsRoles]) => [name.replaceAll(' ', ''), itsRoles])
)

/** Words of a header, whole: umlauts are letters here, which they are not to \b. */
function words(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern.replaceAll('*', '\\p{L}*')})(?![\\p{L}\\p{N}])`, 'u')
}

const emailWords = words('e ?mails?|newsletter*|news letters?|mailings?|mails?')
/** Columns about another way to reach a person than email. */
const otherChannel = words(
  'sms|phone|telefon*|call|calls|anruf*|fax|post|postal|whats ?app|push|text message|mobile|letter|letters|brief*'
)
/** What a consent is about when it is not about being written to, and what is said about one rather than given. */
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
/** Words that make a consent of what is named beside them. */
const permits = words('receive*|receiving|erlaubt|allowed|kontaktiert*|erhalten|erwünscht|updates|may|darf')
const mailing = words('e ?mails?|mailings?|werbung|rund*|marketing')
/** Words that turn a consent into an objection. */
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

/** Whether a header is about another way to reach a person than email. */
export function isOtherChannel(header: string): boolean {
  const key = headerKey(header)
  return otherChannel.test(key) && !emailWords.test(key)
}

/** What a header may mean, the best guess first; its values decide. */
export function headerRoles(header: string): ColumnRole[] {
  const key = headerKey(header)
  const known = rolesByKey.get(key) ?? rolesByJoinedKey.get(key.replaceAll(' ', ''))
  if (known) return known
  const role = isOtherChannel(header) || about.test(key) ? null : roleInWords(key)
  return role ? [role] : []
}

/** The roles of columns in which nearly any value says that a subscriber must not be written to. */
export const objectionRoles: readonly ColumnRole[] = [
  'opt_out',
  'bounce',
  'complaint',
  'deactivation',
  'remove_time'
]
const statusRoles: readonly ColumnRole[] = ['status', 'consent', ...objectionRoles]

/** Whether a column with this header may say who must not be written to. */
export function saysStatus(header: string): boolean {
  return headerRoles(header).some((role) => statusRoles.includes(role))
}

/** What a header says in words that no table lists, the gravest first. */
function roleInWords(key: string): ColumnRole | null {
  if (complaints.test(key)) return 'complaint'
  if (bounces.test(key)) return 'bounce'
  if (objections.test(key)) return 'opt_out'
  const isMailing = mailing.test(key)
  // "Newsletter ja/nein" asks for both.
  const asked = key.replace(bothAnswers, '')
  if (negation.test(asked) && (isMailing || consents.test(key))) return 'opt_out'
  return consents.test(key) || (isMailing && permits.test(key)) ? 'consent' : null
}

/** Consents to something else than being written to, or of which that is not certain: a no counts, and a yes is not enough. */
const weakConsents = new Set(
  list('active, aktiv, enabled, is active, dsgvo, gdpr consent, marketing contact status, marketing contact')
)

export function isWeakConsent(header: string): boolean {
  return weakConsents.has(headerKey(header))
}

/** Addresses of others than the person that a row is about. */
const someoneElse = words(
  'owner|sponsor|assistant|assistent*|sender|created by|to|manager|parent|referr*|sales|rep|agent|besitzer|betreuer*|erstellt*|absender'
)

export function isAboutSomeoneElse(header: string): boolean {
  return someoneElse.test(headerKey(header))
}

/** The address of the customer who paid for the tickets of several attendees. */
const buyers = words('buyer|purchaser|käufer*|besteller*')

export function isAboutBuyer(header: string): boolean {
  return buyers.test(headerKey(header))
}

const lists = words('verteiler|mailing list|list|liste')

/** Whether a header may name a list, whose numbers are those of lists. */
export function namesList(header: string): boolean {
  return lists.test(headerKey(header))
}

/** What holds days of a year, with or without the year. */
const yearlyDay = words(
  'birthday*|birth*|dob|geburtstag*|geburts*|geb|*jahrestag|anniversar*|namenstag|name day'
)

export function isYearlyDay(header: string): boolean {
  return yearlyDay.test(headerKey(header))
}

/** Fields whose words look like yes or no and are none. */
export function holdsOwnWords(header: string): boolean {
  return ['gender', 'country', 'state', 'name', 'first name', 'last name', 'language'].some((name) =>
    namesLike(header).includes(name)
  )
}

/** The names that mean the same as a header, itself included, as headerKey() writes them. */
export function namesLike(header: string): readonly string[] {
  const key = headerKey(header)
  return sameMeaning.find((names) => names.includes(key)) ?? [key]
}

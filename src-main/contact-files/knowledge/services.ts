// What the exports of services and address books call their columns, so that a file can be recognized as one of them or be said to
// be one. From the export pages of each service's help center, and from files that people attached to public reports of failed
// imports. To add one: its name, the headers that hardly any other program writes, and what its columns are about.

import type { ColumnRole } from './headers.ts'
import { headerKey } from './headers.ts'
import { splitWords } from './list.ts'

/** The meaning of a service's column: a role, or an ordinary field whatever its name suggests. */
export type ServiceColumn = ColumnRole | 'field'

export interface Service {
  /** As the service spells it. */
  name: string
  /**
   * Headers, as headerKey() writes them, that only this service's export has together; each group is
   * sufficient.
   */
  signature: readonly string[]
  columns: Partial<Record<ServiceColumn, readonly string[]>>
}

export const serviceIds = [
  'activecampaign',
  'aweber',
  'beehiiv',
  'brevo',
  'campaign_monitor',
  'cleverreach',
  'constant_contact',
  'eventbrite',
  'getresponse',
  'ghost',
  'google_contacts',
  'hubspot',
  'kit',
  'klaviyo',
  'linkedin',
  'listmonk',
  'mailchimp',
  'mailerlite',
  'mautic',
  'outlook',
  'rapidmail',
  'salesforce',
  'sendy',
  'shopify',
  'squarespace',
  'substack',
  'thunderbird',
  'woocommerce'
] as const
export type ServiceId = (typeof serviceIds)[number]

export const services: Record<ServiceId, Service> = {
  activecampaign: {
    name: 'ActiveCampaign',
    signature: splitWords(
      'ip + date created + tags, subscriber id + account, customer account + date created'
    ),
    columns: {
      email: splitWords('email'),
      status: splitWords('status'),
      subscribe_time: splitWords('date created, subscribed date, subscribe date'),
      subscribe_ip: splitWords('ip, ip address'),
      field: splitWords('account, customer account, tags, contact id')
    }
  },
  aweber: {
    name: 'AWeber',
    signature: splitWords(
      'verified at + unsubscribed at, ad tracking + additional notes, stop time + stop status, verified at + date added'
    ),
    columns: {
      email: splitWords('email'),
      status: splitWords('status, stop status'),
      subscribe_time: splitWords('date added, subscribed at, add time'),
      subscribe_ip: splitWords('ip address'),
      confirm_time: splitWords('verified at'),
      remove_time: splitWords('unsubscribed at, stop time'),
      field: splitWords('ad tracking, additional notes, unsubscribe method, last followup number sent')
    }
  },
  beehiiv: {
    name: 'beehiiv',
    signature: splitWords(
      'subscription tier + utm source, subscription premium tier + utm source, acquisition source + referral code, email + subscription tier + created at'
    ),
    columns: {
      email: splitWords('email'),
      status: splitWords('status'),
      subscribe_time: splitWords('created at, created, subscribed at'),
      field: splitWords('subscription tier, subscription premium tier, referral code, email open rate')
    }
  },
  brevo: {
    name: 'Brevo',
    signature: splitWords(
      'email blacklisted + added time, double opt in + email blacklisted, sms + email blacklisted, added time + modified time, double opt in + added time'
    ),
    columns: {
      email: splitWords('email'),
      subscribe_time: splitWords('added time'),
      opt_out: splitWords('email blacklisted, emailblacklisted, blocklisted, email blocklisted'),
      field: splitWords(
        'double opt in, sms, whatsapp, sms blacklisted, modified time, contact id, landline number, ext id'
      )
    }
  },
  campaign_monitor: {
    name: 'Campaign Monitor',
    signature: splitWords(
      'date joined + state, date joined + permission to track, consent to track + date joined'
    ),
    columns: {
      email: splitWords('email address, email'),
      status: splitWords('state, status'),
      subscribe_time: splitWords('date joined, joined date, date'),
      field: splitWords('permission to track, consent to track, consent to send sms')
    }
  },
  cleverreach: {
    name: 'CleverReach',
    signature: splitWords(
      'registriert + aktiviert, registered + activated + deactivated, aktiviert + abgemeldet'
    ),
    columns: {
      email: splitWords('email, e mail'),
      subscribe_time: splitWords('registriert, registered'),
      activation: splitWords('aktiviert, activated'),
      remove_time: splitWords('abgemeldet'),
      deactivation: splitWords('deaktiviert, deactivated'),
      bounce: splitWords('bounced'),
      field: splitWords('quelle, source')
    }
  },
  constant_contact: {
    name: 'Constant Contact',
    signature: splitWords(
      'email status + email permission status, email update date + email update source, confirmed opt out date + confirmed opt out source'
    ),
    columns: {
      email: splitWords('email address'),
      status: splitWords('email status'),
      remove_time: splitWords('confirmed opt out date'),
      field: splitWords('email update source, email update date, email lists')
    }
  },
  eventbrite: {
    name: 'Eventbrite',
    signature: splitWords(
      'order no + ticket type, order id + ticket type, attendee no + order no, attendee id + order id, barcode no + attendee status'
    ),
    columns: {
      email: splitWords('email, attendee email, buyer email'),
      field: splitWords(
        'attendee status, order no, order id, order date, attendee no, attendee id, barcode no, order type, ticket type'
      )
    }
  },
  getresponse: {
    name: 'GetResponse',
    signature: splitWords(
      'ga contact id + email, day of cycle + origin, added on + origin, autoresponder day + added on'
    ),
    columns: {
      email: splitWords('email'),
      subscribe_time: splitWords('added on, created on, subscribed on'),
      subscribe_ip: splitWords('ip, contact ip, ip address'),
      field: splitWords('origin, day of cycle, scoring, engagement score, autoresponder day')
    }
  },
  ghost: {
    name: 'Ghost',
    signature: splitWords(
      'subscribed to emails + complimentary plan, complimentary plan + stripe customer id'
    ),
    columns: {
      email: splitWords('email'),
      subscribe_time: splitWords('created at'),
      consent: splitWords('subscribed to emails, subscribed'),
      opt_out: splitWords('email disabled'),
      field: splitWords('id, complimentary plan, stripe customer id, labels, tiers, note')
    }
  },
  google_contacts: {
    name: 'Google Contacts',
    signature: splitWords(
      'e mail 1 value + first name, e mail 1 value + given name, e mail 1 value + phone 1 value, e mail 1 value + labels'
    ),
    columns: {
      email: splitWords('e mail 1 value'),
      field: splitWords(
        'e mail 1 label, e mail 1 type, e mail 2 label, e mail 2 type, group membership, labels, subject, priority, sensitivity, mileage, occupation'
      )
    }
  },
  hubspot: {
    name: 'HubSpot',
    signature: splitWords(
      'marketing contact status + record id, unsubscribed from all email + email hard bounce reason, marketing contact status + lifecycle stage, record id + lifecycle stage, record id + contact owner'
    ),
    columns: {
      email: splitWords('email'),
      consent: splitWords('marketing contact status'),
      opt_out: splitWords('unsubscribed from all email'),
      bounce: splitWords('email hard bounce reason, email hard bounce reason enum, invalid email address'),
      field: splitWords('lead status, lifecycle stage, record id, contact owner, create date')
    }
  },
  kit: {
    name: 'Kit (ConvertKit)',
    signature: splitWords('kit id + email'),
    columns: {
      email: splitWords('email, email address'),
      status: splitWords('status, state'),
      subscribe_time: splitWords('created at, subscribed at'),
      field: splitWords('tags, referrer')
    }
  },
  klaviyo: {
    name: 'Klaviyo',
    signature: splitWords(
      'email marketing consent + email suppressions, klaviyo id + email, email marketing consent + email marketing consent timestamp'
    ),
    columns: {
      email: splitWords('email'),
      consent: splitWords('email marketing consent, consent'),
      subscribe_time: splitWords('email marketing consent timestamp, consent timestamp'),
      opt_out: splitWords('email suppressions'),
      field: splitWords(
        'klaviyo id, sms marketing consent, sms marketing consent timestamp, sms suppressions, consent form id, consent form version, profile created on'
      )
    }
  },
  linkedin: {
    name: 'LinkedIn',
    signature: splitWords('connected on + position + company, connected on + url'),
    columns: { email: splitWords('email address'), field: splitWords('connected on, url, company, position') }
  },
  listmonk: {
    name: 'listmonk',
    signature: splitWords('uuid + attributes + status, uuid + attribs + status'),
    columns: {
      email: splitWords('email'),
      status: splitWords('status'),
      subscribe_time: splitWords('created at'),
      field: splitWords('uuid, attributes, attribs, updated at, lists')
    }
  },
  mailchimp: {
    name: 'Mailchimp',
    signature: splitWords(
      'member rating + optin time, leid + euid, unsub time + unsub campaign title, unsub time + unsub reason, clean time + clean campaign title, optin time + confirm time'
    ),
    columns: {
      email: splitWords('email address, e mail adresse, email'),
      subscribe_time: splitWords('optin time'),
      subscribe_ip: splitWords('optin ip'),
      confirm_time: splitWords('confirm time'),
      confirm_ip: splitWords('confirm ip'),
      remove_time: splitWords('unsub time'),
      opt_out: splitWords('unsub campaign title, unsub campaign id, unsub reason, unsub reason other'),
      bounce: splitWords('clean time, clean campaign title, clean campaign id'),
      field: splitWords(
        'member rating, last changed, leid, euid, notes, tags, latitude, longitude, gmtoff, dstoff, timezone, cc, region'
      )
    }
  },
  mailerlite: {
    name: 'MailerLite',
    signature: splitWords(
      'subscriber + opens + clicks, subscriber + opt in ip + opt in date, subscriber + opened + clicked'
    ),
    columns: {
      email: splitWords('subscriber, email'),
      status: splitWords('status, type'),
      subscribe_time: splitWords('subscribed, subscribe date, opt in date, opt in time'),
      subscribe_ip: splitWords('opt in ip, subscribe ip, ip'),
      field: splitWords('sent, opens, clicks, opened, clicked, location')
    }
  },
  mautic: {
    name: 'Mautic',
    signature: splitWords(
      'do not contact email + points, date identified + last active, points + date identified'
    ),
    columns: {
      email: splitWords('email'),
      opt_out: splitWords('do not contact email, dnc email'),
      field: splitWords('points, date identified, last active, attribution, stage, id')
    }
  },
  outlook: {
    name: 'Outlook',
    signature: splitWords(
      'e mail address + e mail type, e mail address + e mail display name, e mail address + e mail 2 address, e mail adresse + e mail 2 adresse, e mail adresse + e mail angezeigter name, e mail adresse + e mail typ, business phone + e mail address'
    ),
    columns: {
      email: splitWords('e mail address, e mail adresse'),
      field: splitWords(
        'e mail 2 address, e mail 3 address, e mail type, e mail display name, e mail 2 adresse, e mail 3 adresse, e mail typ, e mail angezeigter name, priority, sensitivity, private, priorität, vertraulichkeit, privat, categories, kategorien, mileage, account, konto'
      )
    }
  },
  rapidmail: {
    name: 'rapidmail',
    signature: splitWords('mailtype + activated'),
    columns: {
      email: splitWords('e mail adresse, email'),
      status: splitWords('status'),
      subscribe_time: splitWords('angemeldet am, created'),
      confirm_time: splitWords('aktiviert am, activated'),
      remove_time: splitWords('abgemeldet am, deleted'),
      email_format: splitWords('mailtype')
    }
  },
  salesforce: {
    name: 'Salesforce',
    signature: splitWords(
      'email opt out + email bounced reason, email opt out + mailing zip postal code, email opt out + lead source, email opt out + account name, has opted out of email + lead source'
    ),
    columns: {
      email: splitWords('email'),
      opt_out: splitWords('email opt out, has opted out of email'),
      bounce: splitWords('email bounced reason, email bounced date'),
      field: splitWords(
        'lead status, lead source, account name, contact owner, lead owner, contact id, fax opt out, do not call, title'
      )
    }
  },
  sendy: {
    name: 'Sendy',
    signature: splitWords('signup method + added via, gdpr + last activity'),
    columns: {
      email: splitWords('email'),
      status: splitWords('status'),
      subscribe_time: splitWords('joined, timestamp, date'),
      subscribe_ip: splitWords('ip'),
      field: splitWords('gdpr, last activity, signup method, added via, referrer')
    }
  },
  shopify: {
    name: 'Shopify',
    signature: splitWords(
      'accepts marketing + total spent, accepts email marketing + total spent, accepts email marketing + default address zip, accepts email marketing + accepts sms marketing, accepts marketing + default address company, accepts email marketing + total orders'
    ),
    columns: {
      email: splitWords('email'),
      consent: splitWords('accepts marketing, accepts email marketing'),
      field: splitWords(
        'accepts sms marketing, customer id, default address zip, total spent, total orders, tax exempt, tags, note'
      )
    }
  },
  squarespace: {
    name: 'Squarespace',
    signature: splitWords(
      'subscribed on + subscriber source, subscriber since + accepts marketing, mailing lists + order count'
    ),
    columns: {
      email: splitWords('email, email address'),
      subscribe_time: splitWords('subscribed on, subscriber since'),
      consent: splitWords('accepts marketing'),
      field: splitWords('order count, last order date, created on, mailing lists, subscriber source')
    }
  },
  substack: {
    name: 'Substack',
    signature: splitWords(
      'active subscription + email disabled, active subscription + expiry, podcast disabled + email disabled'
    ),
    columns: {
      email: splitWords('email'),
      subscribe_time: splitWords('created at, start date, subscription date'),
      opt_out: splitWords('email disabled'),
      field: splitWords(
        'active subscription, expiry, plan, podcast disabled, digest enabled, first payment at, activity, type'
      )
    }
  },
  thunderbird: {
    name: 'Thunderbird',
    signature: splitWords(
      'primary email + secondary email, primary email + screen name, primäre e mail adresse + sekundäre e mail adresse'
    ),
    columns: {
      email: splitWords('primary email, primäre e mail adresse'),
      field: splitWords(
        'secondary email, sekundäre e mail adresse, screen name, messenger name, custom 1, custom 2, custom 3, custom 4'
      )
    }
  },
  woocommerce: {
    name: 'WooCommerce',
    signature: splitWords(
      'username + total spend, date registered + total spend, country region + total spend'
    ),
    columns: {
      email: splitWords('email'),
      subscribe_time: splitWords('date registered, registered, sign up'),
      field: splitWords('username, last active, orders, total spend, aov, country region, region, postcode')
    }
  }
}

/** Returns the service whose export has these headers; null if none or several do. */
export function recognizeService(headers: readonly string[]): ServiceId | null {
  const keys = new Set(headers.map(headerKey))
  const possible = serviceIds.filter((id) =>
    services[id].signature.some((group) => group.split(' + ').every((key) => keys.has(key)))
  )
  return possible.length === 1 ? (possible[0] ?? null) : null
}

/** Returns the meaning of a header in the exports of a service; null if they have no such column. */
export function serviceColumn(id: ServiceId, header: string): ServiceColumn | null {
  const key = headerKey(header)
  const columns = Object.entries(services[id].columns) as [ServiceColumn, readonly string[]][]
  return columns.find(([, names]) => names.includes(key))?.[0] ?? null
}

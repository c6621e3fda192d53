// What the exports of services and address books call their columns, so that a file can be recognized as one of them or be said to
// be one. From the export pages of each service's help center, and from files that people attached to public reports of failed
// imports. To add one: its name, the headers that hardly any other program writes, and what its columns are about.

import type { ColumnRole } from './headers.ts'
import { headerKey } from './headers.ts'
import { list } from './list.ts'

/** What a column of a service is: a role, or a plain field whatever its name seems to say. */
export type ServiceColumn = ColumnRole | 'field'

export interface Service {
  /** As the service writes it itself. */
  name: string
  /** Headers, as headerKey() writes them, that no other export has together; each group is enough. */
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
    signature: list('ip + date created + tags, subscriber id + account, customer account + date created'),
    columns: {
      email: list('email'),
      status: list('status'),
      subscribe_time: list('date created, subscribed date, subscribe date'),
      subscribe_ip: list('ip, ip address'),
      field: list('account, customer account, tags, contact id')
    }
  },
  aweber: {
    name: 'AWeber',
    signature: list(
      'verified at + unsubscribed at, ad tracking + additional notes, stop time + stop status, verified at + date added'
    ),
    columns: {
      email: list('email'),
      status: list('status, stop status'),
      subscribe_time: list('date added, subscribed at, add time'),
      subscribe_ip: list('ip address'),
      confirm_time: list('verified at'),
      remove_time: list('unsubscribed at, stop time'),
      field: list('ad tracking, additional notes, unsubscribe method, last followup number sent')
    }
  },
  beehiiv: {
    name: 'beehiiv',
    signature: list(
      'subscription tier + utm source, subscription premium tier + utm source, acquisition source + referral code, email + subscription tier + created at'
    ),
    columns: {
      email: list('email'),
      status: list('status'),
      subscribe_time: list('created at, created, subscribed at'),
      field: list('subscription tier, subscription premium tier, referral code, email open rate')
    }
  },
  brevo: {
    name: 'Brevo',
    signature: list(
      'email blacklisted + added time, double opt in + email blacklisted, sms + email blacklisted, added time + modified time, double opt in + added time'
    ),
    columns: {
      email: list('email'),
      subscribe_time: list('added time'),
      opt_out: list('email blacklisted, emailblacklisted, blocklisted, email blocklisted'),
      field: list(
        'double opt in, sms, whatsapp, sms blacklisted, modified time, contact id, landline number, ext id'
      )
    }
  },
  campaign_monitor: {
    name: 'Campaign Monitor',
    signature: list('date joined + state, date joined + permission to track, consent to track + date joined'),
    columns: {
      email: list('email address, email'),
      status: list('state, status'),
      subscribe_time: list('date joined, joined date, date'),
      field: list('permission to track, consent to track, consent to send sms')
    }
  },
  cleverreach: {
    name: 'CleverReach',
    signature: list('registriert + aktiviert, registered + activated + deactivated, aktiviert + abgemeldet'),
    columns: {
      email: list('email, e mail'),
      subscribe_time: list('registriert, registered'),
      activation: list('aktiviert, activated'),
      remove_time: list('abgemeldet'),
      deactivation: list('deaktiviert, deactivated'),
      bounce: list('bounced'),
      field: list('quelle, source')
    }
  },
  constant_contact: {
    name: 'Constant Contact',
    signature: list(
      'email status + email permission status, email update date + email update source, confirmed opt out date + confirmed opt out source'
    ),
    columns: {
      email: list('email address'),
      status: list('email status'),
      remove_time: list('confirmed opt out date'),
      field: list('email update source, email update date, email lists')
    }
  },
  eventbrite: {
    name: 'Eventbrite',
    signature: list(
      'order no + ticket type, order id + ticket type, attendee no + order no, attendee id + order id, barcode no + attendee status'
    ),
    columns: {
      email: list('email, attendee email, buyer email'),
      field: list(
        'attendee status, order no, order id, order date, attendee no, attendee id, barcode no, order type, ticket type'
      )
    }
  },
  getresponse: {
    name: 'GetResponse',
    signature: list(
      'ga contact id + email, day of cycle + origin, added on + origin, autoresponder day + added on'
    ),
    columns: {
      email: list('email'),
      subscribe_time: list('added on, created on, subscribed on'),
      subscribe_ip: list('ip, contact ip, ip address'),
      field: list('origin, day of cycle, scoring, engagement score, autoresponder day')
    }
  },
  ghost: {
    name: 'Ghost',
    signature: list('subscribed to emails + complimentary plan, complimentary plan + stripe customer id'),
    columns: {
      email: list('email'),
      subscribe_time: list('created at'),
      consent: list('subscribed to emails, subscribed'),
      opt_out: list('email disabled'),
      field: list('id, complimentary plan, stripe customer id, labels, tiers, note')
    }
  },
  google_contacts: {
    name: 'Google Contacts',
    signature: list(
      'e mail 1 value + first name, e mail 1 value + given name, e mail 1 value + phone 1 value, e mail 1 value + labels'
    ),
    columns: {
      email: list('e mail 1 value'),
      field: list(
        'e mail 1 label, e mail 1 type, e mail 2 label, e mail 2 type, group membership, labels, subject, priority, sensitivity, mileage, occupation'
      )
    }
  },
  hubspot: {
    name: 'HubSpot',
    signature: list(
      'marketing contact status + record id, unsubscribed from all email + email hard bounce reason, marketing contact status + lifecycle stage, record id + lifecycle stage, record id + contact owner'
    ),
    columns: {
      email: list('email'),
      consent: list('marketing contact status'),
      opt_out: list('unsubscribed from all email'),
      bounce: list('email hard bounce reason, email hard bounce reason enum, invalid email address'),
      field: list('lead status, lifecycle stage, record id, contact owner, create date')
    }
  },
  kit: {
    name: 'Kit (ConvertKit)',
    signature: list('kit id + email'),
    columns: {
      email: list('email, email address'),
      status: list('status, state'),
      subscribe_time: list('created at, subscribed at'),
      field: list('tags, referrer')
    }
  },
  klaviyo: {
    name: 'Klaviyo',
    signature: list(
      'email marketing consent + email suppressions, klaviyo id + email, email marketing consent + email marketing consent timestamp'
    ),
    columns: {
      email: list('email'),
      consent: list('email marketing consent, consent'),
      subscribe_time: list('email marketing consent timestamp, consent timestamp'),
      opt_out: list('email suppressions'),
      field: list(
        'klaviyo id, sms marketing consent, sms marketing consent timestamp, sms suppressions, consent form id, consent form version, profile created on'
      )
    }
  },
  linkedin: {
    name: 'LinkedIn',
    signature: list('connected on + position + company, connected on + url'),
    columns: { email: list('email address'), field: list('connected on, url, company, position') }
  },
  listmonk: {
    name: 'listmonk',
    signature: list('uuid + attributes + status, uuid + attribs + status'),
    columns: {
      email: list('email'),
      status: list('status'),
      subscribe_time: list('created at'),
      field: list('uuid, attributes, attribs, updated at, lists')
    }
  },
  mailchimp: {
    name: 'Mailchimp',
    signature: list(
      'member rating + optin time, leid + euid, unsub time + unsub campaign title, unsub time + unsub reason, clean time + clean campaign title, optin time + confirm time'
    ),
    columns: {
      email: list('email address, e mail adresse, email'),
      subscribe_time: list('optin time'),
      subscribe_ip: list('optin ip'),
      confirm_time: list('confirm time'),
      confirm_ip: list('confirm ip'),
      remove_time: list('unsub time'),
      opt_out: list('unsub campaign title, unsub campaign id, unsub reason, unsub reason other'),
      bounce: list('clean time, clean campaign title, clean campaign id'),
      field: list(
        'member rating, last changed, leid, euid, notes, tags, latitude, longitude, gmtoff, dstoff, timezone, cc, region'
      )
    }
  },
  mailerlite: {
    name: 'MailerLite',
    signature: list(
      'subscriber + opens + clicks, subscriber + opt in ip + opt in date, subscriber + opened + clicked'
    ),
    columns: {
      email: list('subscriber, email'),
      status: list('status, type'),
      subscribe_time: list('subscribed, subscribe date, opt in date, opt in time'),
      subscribe_ip: list('opt in ip, subscribe ip, ip'),
      field: list('sent, opens, clicks, opened, clicked, location')
    }
  },
  mautic: {
    name: 'Mautic',
    signature: list('do not contact email + points, date identified + last active, points + date identified'),
    columns: {
      email: list('email'),
      opt_out: list('do not contact email, dnc email'),
      field: list('points, date identified, last active, attribution, stage, id')
    }
  },
  outlook: {
    name: 'Outlook',
    signature: list(
      'e mail address + e mail type, e mail address + e mail display name, e mail address + e mail 2 address, e mail adresse + e mail 2 adresse, e mail adresse + e mail angezeigter name, e mail adresse + e mail typ, business phone + e mail address'
    ),
    columns: {
      email: list('e mail address, e mail adresse'),
      field: list(
        'e mail 2 address, e mail 3 address, e mail type, e mail display name, e mail 2 adresse, e mail 3 adresse, e mail typ, e mail angezeigter name, priority, sensitivity, private, priorität, vertraulichkeit, privat, categories, kategorien, mileage, account, konto'
      )
    }
  },
  rapidmail: {
    name: 'rapidmail',
    signature: list('mailtype + activated'),
    columns: {
      email: list('e mail adresse, email'),
      status: list('status'),
      subscribe_time: list('angemeldet am, created'),
      confirm_time: list('aktiviert am, activated'),
      remove_time: list('abgemeldet am, deleted'),
      email_format: list('mailtype')
    }
  },
  salesforce: {
    name: 'Salesforce',
    signature: list(
      'email opt out + email bounced reason, email opt out + mailing zip postal code, email opt out + lead source, email opt out + account name, has opted out of email + lead source'
    ),
    columns: {
      email: list('email'),
      opt_out: list('email opt out, has opted out of email'),
      bounce: list('email bounced reason, email bounced date'),
      field: list(
        'lead status, lead source, account name, contact owner, lead owner, contact id, fax opt out, do not call, title'
      )
    }
  },
  sendy: {
    name: 'Sendy',
    signature: list('signup method + added via, gdpr + last activity'),
    columns: {
      email: list('email'),
      status: list('status'),
      subscribe_time: list('joined, timestamp, date'),
      subscribe_ip: list('ip'),
      field: list('gdpr, last activity, signup method, added via, referrer')
    }
  },
  shopify: {
    name: 'Shopify',
    signature: list(
      'accepts marketing + total spent, accepts email marketing + total spent, accepts email marketing + default address zip, accepts email marketing + accepts sms marketing, accepts marketing + default address company, accepts email marketing + total orders'
    ),
    columns: {
      email: list('email'),
      consent: list('accepts marketing, accepts email marketing'),
      field: list(
        'accepts sms marketing, customer id, default address zip, total spent, total orders, tax exempt, tags, note'
      )
    }
  },
  squarespace: {
    name: 'Squarespace',
    signature: list(
      'subscribed on + subscriber source, subscriber since + accepts marketing, mailing lists + order count'
    ),
    columns: {
      email: list('email, email address'),
      subscribe_time: list('subscribed on, subscriber since'),
      consent: list('accepts marketing'),
      field: list('order count, last order date, created on, mailing lists, subscriber source')
    }
  },
  substack: {
    name: 'Substack',
    signature: list(
      'active subscription + email disabled, active subscription + expiry, podcast disabled + email disabled'
    ),
    columns: {
      email: list('email'),
      subscribe_time: list('created at, start date, subscription date'),
      opt_out: list('email disabled'),
      field: list(
        'active subscription, expiry, plan, podcast disabled, digest enabled, first payment at, activity, type'
      )
    }
  },
  thunderbird: {
    name: 'Thunderbird',
    signature: list(
      'primary email + secondary email, primary email + screen name, primäre e mail adresse + sekundäre e mail adresse'
    ),
    columns: {
      email: list('primary email, primäre e mail adresse'),
      field: list(
        'secondary email, sekundäre e mail adresse, screen name, messenger name, custom 1, custom 2, custom 3, custom 4'
      )
    }
  },
  woocommerce: {
    name: 'WooCommerce',
    signature: list('username + total spend, date registered + total spend, country region + total spend'),
    columns: {
      email: list('email'),
      subscribe_time: list('date registered, registered, sign up'),
      field: list('username, last active, orders, total spend, aov, country region, region, postcode')
    }
  }
}

/** The service whose export has these headers; null for none, or where they could be of several. */
export function recognizeService(headers: readonly string[]): ServiceId | null {
  const keys = new Set(headers.map(headerKey))
  const possible = serviceIds.filter((id) =>
    services[id].signature.some((group) => group.split(' + ').every((key) => keys.has(key)))
  )
  return possible.length === 1 ? (possible[0] ?? null) : null
}

/** What a header is about in the exports of a service; null where that has no such column. */
export function serviceColumn(id: ServiceId, header: string): ServiceColumn | null {
  const key = headerKey(header)
  const columns = Object.entries(services[id].columns) as [ServiceColumn, readonly string[]][]
  return columns.find(([, names]) => names.includes(key))?.[0] ?? null
}

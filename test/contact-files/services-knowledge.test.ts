import { describe, expect, it } from 'vitest'
import { type ColumnRole, headerKey, headerRoles } from '../../src-main/contact-files/knowledge/headers.ts'
import {
  recognizeService,
  serviceIds,
  services,
  type ServiceId
} from '../../src-main/contact-files/knowledge/services.ts'
import { analyzed } from './read-file.ts'
import { serviceExports } from './services.ts'

const recognized: Record<string, ServiceId | null> = {
  'Mailchimp, subscribed': 'mailchimp',
  'Mailchimp, unsubscribed': 'mailchimp',
  'Mailchimp, cleaned': 'mailchimp',
  Klaviyo: 'klaviyo',
  Brevo: 'brevo',
  HubSpot: 'hubspot',
  Shopify: 'shopify',
  WooCommerce: 'woocommerce',
  Ghost: 'ghost',
  Kit: null,
  ActiveCampaign: 'activecampaign',
  'Campaign Monitor': 'campaign_monitor',
  'Constant Contact': 'constant_contact',
  MailerLite: 'mailerlite',
  CleverReach: 'cleverreach',
  rapidmail: null,
  listmonk: 'listmonk',
  Mautic: 'mautic',
  Salesforce: 'salesforce',
  'Google Contacts': 'google_contacts',
  'Outlook, German': 'outlook',
  'a club, by hand': null
}

describe('the service that a file comes from', () => {
  it.each(serviceExports)('is recognized by the headers of $service', ({ service, rows }) => {
    expect(recognizeService(rows[0] ?? [])).toBe(recognized[service])
  })

  it('is unknown for a file with a few common headers', () => {
    for (const headers of [
      ['Email', 'First Name', 'Last Name', 'Company', 'Position', 'Tags'],
      ['E-Mail', 'Vorname', 'Nachname', 'Status'],
      ['email', 'name', 'created_at', 'status'],
      []
    ])
      expect(recognizeService(headers)).toBeNull()
  })

  it('decides the meaning of an ambiguous header', async () => {
    const file =
      'email,email_disabled,created_at,plan,active_subscription\n' +
      'a@example.com,false,2024-01-15T10:00:00Z,yearly,true\n' +
      'b@example.com,true,2024-01-16T10:00:00Z,none,false\n'

    const { rows, analysis } = await analyzed(file)

    expect(analysis.service).toBe('substack')
    expect(rows).toMatchObject([
      { email: 'a@example.com', status: 'active', active_subscription: 'true' },
      { email: 'b@example.com', status: 'unsubscribed', active_subscription: 'false' }
    ])
    expect(rows[0]?.['subscribe_time']).toBe('2024-01-15 10:00:00+00:00')
  })

  it('can be chosen by the user', async () => {
    const file = 'email,joined,gdpr\na@example.com,2024-01-15,Yes\nb@example.com,2024-01-16,No\n'

    const guessed = await analyzed(file)
    const chosen = await analyzed(file, { choices: { service: 'sendy' } })

    expect(guessed.analysis.service).toBeNull()
    expect(guessed.rows[1]).not.toHaveProperty('subscribe_time')
    expect(chosen.analysis.service).toBe('sendy')
    expect(chosen.rows[1]).toMatchObject({ subscribe_time: '2024-01-16' })
  })

  it('leaves digits that are no number as text', async () => {
    const { analysis } = await analyzed(
      'Email,Accepts Email Marketing,Total Spent,Default Address Zip\na@example.com,yes,1.00,10001\nb@example.com,yes,2.00,94110\n'
    )

    expect(analysis.service).toBe('shopify')
    expect(analysis.reading.columns.at(-1)?.new_field_type).toBe('text')
  })

  it('can be deselected by the user', async () => {
    const { rows } = serviceExports.find(({ service }) => service === 'Ghost') ?? { rows: [] }

    const { analysis } = await analyzed(rows.map((row) => `${row.join(',')}\n`).join(''), {
      choices: { service: null }
    })

    expect(analysis.service).toBeNull()
  })

  it.each([
    ['Constant Contact', 'Email address,Email status,Email permission status', 'a@x.org,Active,Unsubscribed'],
    ['Klaviyo', 'Email,Klaviyo ID,Email Suppressions Timestamp', 'a@x.org,01H,2024-01-01 10:00:00'],
    ['MailerLite', 'Subscriber,Opt-in IP,Opt-in Date,Subscribed', 'a@x.org,192.0.2.1,2024-01-01,no']
  ])('does not hide who has opted out of a file of %s', async (_service, header, row) => {
    const { analysis, rows } = await analyzed(`${header}\nb@x.org,,,\n${row}\n`)

    expect(analysis.service).not.toBeNull()
    expect(rows[1]).toMatchObject({ email: 'a@x.org', status: 'unsubscribed' })
  })

  it('does not turn a header about unsubscribing into a plain field', () => {
    const grave: ColumnRole[] = ['opt_out', 'bounce', 'complaint', 'remove_time', 'deactivation', 'validity']
    for (const id of serviceIds) {
      for (const name of services[id].columns.field ?? [])
        expect(
          headerRoles(name).filter((role) => grave.includes(role)),
          `${id}: ${name}`
        ).toEqual([])
    }
  })

  it('has each header once, as headers are compared', () => {
    for (const id of serviceIds) {
      const { columns, signature } = services[id]
      const names = Object.values(columns).flat()
      expect(new Set(names).size, id).toBe(names.length)
      for (const name of [...names, ...signature.flatMap((group) => group.split(' + '))])
        expect(name, id).toBe(headerKey(name))
    }
  })
})

/** An export as a service writes it, and who has to be on the list afterwards. */
export interface ServiceExport {
  service: string
  rows: string[][]
  people: { email: string; status: string; values?: Record<string, string> }[]
}

const anna = 'anna@example.org'
const bert = 'bert@example.org'
const cleo = 'cleo@example.org'
const active = (email: string, values?: Record<string, string>) => ({
  email,
  status: 'active',
  ...(values && { values })
})
const gone = (email: string, values?: Record<string, string>) => ({
  email,
  status: 'unsubscribed',
  ...(values && { values })
})

/** The header and a few rows of each service, in its words; every person is made up. */
export const serviceExports: ServiceExport[] = [
  {
    service: 'Mailchimp, subscribed',
    rows: [
      ['Email Address', 'First Name', 'MEMBER_RATING', 'OPTIN_TIME', 'OPTIN_IP', 'CONFIRM_TIME', 'TAGS'],
      [anna, 'Anna', '4', '2018-02-12 17:59:31', '192.0.2.10', '2018-02-12 18:06:58', '"VIP"'],
      [bert, 'Jürgen', '2', '2019-02-12 17:59:31', '192.0.2.11', '2019-02-12 18:06:58', '']
    ],
    people: [
      {
        email: anna,
        status: '',
        values: { subscribe_time: '2018-02-12 17:59:31', subscribe_ip: '192.0.2.10', 'First Name': 'Anna' }
      },
      { email: bert, status: '', values: { subscribe_time: '2019-02-12 17:59:31', 'First Name': 'Jürgen' } }
    ]
  },
  {
    service: 'Mailchimp, unsubscribed',
    rows: [
      ['Email Address', 'First Name', 'UNSUB_TIME', 'UNSUB_CAMPAIGN_TITLE', 'UNSUB_REASON'],
      [cleo, 'Cleo', '2024-02-01 09:00:00', 'Spring', 'NORMAL']
    ],
    people: [gone(cleo, { remove_time: '2024-02-01 09:00:00' })]
  },
  {
    service: 'Mailchimp, cleaned',
    rows: [
      ['Email Address', 'First Name', 'CLEAN_TIME', 'CLEAN_CAMPAIGN_TITLE'],
      [cleo, 'Cleo', '2024-02-01 09:00:00', 'Spring']
    ],
    people: [{ email: cleo, status: 'bounced' }]
  },
  {
    service: 'Klaviyo',
    rows: [
      [
        'Email',
        'First Name',
        'Email Marketing Consent',
        'Email Marketing Consent Timestamp',
        'Email Suppressions'
      ],
      [anna, 'Anna', 'SUBSCRIBED', '2024-01-01T00:00:00Z', ''],
      [bert, 'Bert', 'UNSUBSCRIBED', '2024-02-01T00:00:00Z', ''],
      [cleo, 'Cleo', 'NEVER_SUBSCRIBED', '', 'HARD_BOUNCE']
    ],
    people: [active(anna), gone(bert), { email: cleo, status: 'bounced' }]
  },
  {
    service: 'Brevo',
    rows: [
      [
        'CONTACT ID',
        'EMAIL',
        'FIRSTNAME',
        'LASTNAME',
        'SMS',
        'DOUBLE_OPT-IN',
        'EMAIL_BLACKLISTED',
        'ADDED_TIME'
      ],
      ['1', anna, 'Anna', 'Ähre', '4915100000001', '1', 'no', '12-04-2022 09:30:00'],
      ['2', bert, 'Bert', 'Öhm', '', '1', 'yes', '25-04-2022 09:30:00'],
      ['3', cleo, 'Cleo', 'Ütz', '', '1', 'no', '26-04-2022 09:30:00']
    ],
    people: [active(anna), gone(bert), active(cleo)]
  },
  {
    service: 'HubSpot',
    rows: [
      [
        'Record ID',
        'First Name',
        'Email',
        'Marketing contact status',
        'Unsubscribed from all email',
        'Email hard bounce reason'
      ],
      ['101', 'Anna', anna, 'Marketing contact', 'false', ''],
      ['102', 'Bert', bert, 'Marketing contact', 'true', ''],
      ['103', 'Cleo', cleo, 'Non-marketing contact', '', 'Unknown user']
    ],
    people: [active(anna), gone(bert), { email: cleo, status: 'bounced' }]
  },
  {
    service: 'Shopify',
    rows: [
      [
        'Customer ID',
        'First Name',
        'Email',
        'Accepts Email Marketing',
        'Default Address Zip',
        'Phone',
        'Total Orders'
      ],
      ["'7210000000001", 'Ann', anna, 'no', "'02138", "'+15550100", '6'],
      ["'7210000000002", 'Bob', bert, 'yes', "'10001", '', '1']
    ],
    people: [
      gone(anna, { 'Customer ID': '7210000000001', 'Default Address Zip': '02138', Phone: '+15550100' }),
      active(bert, { 'Default Address Zip': '10001' })
    ]
  },
  {
    service: 'WooCommerce',
    rows: [
      ['Name', 'Username', 'Email', 'Registered', 'Orders', 'Total Spend', 'Country / Region', 'Postcode'],
      ['Anna Ähre', 'anna', anna, '2023-05-01 10:00:00', '3', '12.50', 'DE', '01067'],
      ['Bert Öhm', 'bert', bert, '2023-06-01 10:00:00', '1', '9.90', 'AT', '1010']
    ],
    people: [
      {
        email: anna,
        status: '',
        values: { Postcode: '01067', Orders: '3', subscribe_time: '2023-05-01 10:00:00' }
      },
      { email: bert, status: '', values: { Postcode: '1010' } }
    ]
  },
  {
    service: 'Ghost',
    rows: [
      ['id', 'email', 'name', 'subscribed_to_emails', 'complimentary_plan', 'created_at', 'labels'],
      ['1', anna, 'Anna', 'true', 'false', '2024-01-15T10:00:00.000Z', 'vip'],
      ['2', bert, 'Bert', 'false', 'false', '2024-02-01T12:30:00.000Z', '']
    ],
    people: [active(anna), gone(bert)]
  },
  {
    service: 'Kit',
    rows: [
      ['first_name', 'email', 'created_at', 'status', 'tags'],
      ['Anna', anna, '2024-01-15 10:00:00 UTC', 'active', 'vip'],
      ['Bert', bert, '2024-01-16 10:00:00 UTC', 'cancelled', ''],
      ['Cleo', cleo, '2024-01-17 10:00:00 UTC', 'bounced', '']
    ],
    people: [active(anna), gone(bert), { email: cleo, status: 'bounced' }]
  },
  {
    service: 'ActiveCampaign',
    rows: [
      ['Email', 'First Name', 'Phone', 'Tags', 'Date Created', 'IP', 'Status'],
      [anna, 'Anna', '0102030405', 'prospect', '2021-07-08 09:10:11', '192.0.2.1', 'Active'],
      [bert, 'Bert', '0102030406', '', '2021-07-08 09:10:11', '192.0.2.2', 'Unsubscribed'],
      [cleo, 'Cleo', '0102030407', '', '2021-07-08 09:10:11', '192.0.2.4', 'Unconfirmed']
    ],
    people: [
      active(anna, { subscribe_ip: '192.0.2.1', Phone: '0102030405' }),
      gone(bert),
      { email: cleo, status: 'deactivated' }
    ]
  },
  {
    service: 'Campaign Monitor',
    rows: [
      ['Email Address', 'Name', 'Date Joined', 'State'],
      [anna, 'Anna', '2021-07-08', 'Active'],
      [bert, 'Bert', '2021-07-09', 'Unsubscribed'],
      [cleo, 'Cleo', '2021-07-10', 'Bounced']
    ],
    people: [active(anna), gone(bert), { email: cleo, status: 'bounced' }]
  },
  {
    service: 'Constant Contact',
    rows: [
      [
        'Email address',
        'First name',
        'Last name',
        'Email status',
        'Email permission status',
        'Email update date'
      ],
      [anna, 'Anna', 'Ähre', 'Active', 'Express', '2021-07-08'],
      [bert, 'Bert', 'Öhm', 'Unsubscribed', 'Unsubscribed', '2021-07-09']
    ],
    people: [active(anna), gone(bert)]
  },
  {
    service: 'MailerLite',
    rows: [
      ['Subscriber', 'Name', 'Status', 'Subscribed', 'Opt-in IP', 'Opt-in Date'],
      [anna, 'Anna', 'active', '2021-07-08 09:10:11', '192.0.2.1', '2021-07-08 09:10:11'],
      [bert, 'Bert', 'junk', '2021-07-09 09:10:11', '192.0.2.2', '2021-07-09 09:10:11'],
      [cleo, 'Cleo', 'unsubscribed', '2021-07-09 09:10:11', '', '2021-07-10 09:10:11']
    ],
    people: [active(anna), { email: bert, status: 'scomp' }, gone(cleo)]
  },
  {
    service: 'CleverReach',
    rows: [
      ['E-Mail', 'Vorname', 'Nachname', 'Registriert', 'Aktiviert', 'Abgemeldet'],
      [anna, 'Anna', 'Ähre', '12.04.2022 09:30', '12.04.2022 09:31', ''],
      [bert, 'Bert', 'Öhm', '13.04.2022 09:30', '13.04.2022 09:31', '01.05.2023 10:00']
    ],
    people: [{ email: anna, status: '' }, gone(bert, { remove_time: '2023-05-01 10:00:00' })]
  },
  {
    service: 'rapidmail',
    rows: [
      ['E-Mail-Adresse', 'Vorname', 'Status', 'Angemeldet am'],
      [anna, 'Anna', 'Aktiv', '12.04.2022'],
      [bert, 'Bert', 'Abgemeldet', '13.04.2022'],
      [cleo, 'Cleo', 'Unbestätigt', '14.04.2022']
    ],
    people: [
      active(anna, { subscribe_time: '2022-04-12' }),
      gone(bert),
      { email: cleo, status: 'deactivated' }
    ]
  },
  {
    service: 'listmonk',
    rows: [
      ['uuid', 'email', 'name', 'attributes', 'status', 'created_at'],
      ['5f7c', anna, 'Anna', '{"city": "Ulm"}', 'enabled', '2024-01-15T10:00:00Z'],
      ['5f7d', bert, 'Bert', '{}', 'blocklisted', '2024-01-15T10:00:00Z'],
      ['5f7e', cleo, 'Cleo', '{}', 'disabled', '2024-01-15T10:00:00Z']
    ],
    people: [
      active(anna, { attributes: '{"city": "Ulm"}' }),
      gone(bert),
      { email: cleo, status: 'deactivated' }
    ]
  },
  {
    service: 'Mautic',
    rows: [
      ['id', 'firstname', 'lastname', 'email', 'points', 'Do Not Contact - Email'],
      ['1', 'Anna', 'Ähre', anna, '10', 'No'],
      ['2', 'Bert', 'Öhm', bert, '0', 'Yes']
    ],
    people: [active(anna, { points: '10' }), gone(bert)]
  },
  {
    service: 'Salesforce',
    rows: [
      [
        'First Name',
        'Last Name',
        'Title',
        'Email',
        'Email Opt Out',
        'Email Bounced Reason',
        'Mailing Zip/Postal Code'
      ],
      ['Anna', 'Ähre', 'CEO', anna, '0', '', '01067'],
      ['Bert', 'Öhm', 'CTO', bert, '1', '', '10115'],
      ['Cleo', 'Ütz', 'CFO', cleo, '0', 'smtp;550 no such user', '10117']
    ],
    people: [
      active(anna, { 'Mailing Zip/Postal Code': '01067' }),
      gone(bert),
      { email: cleo, status: 'bounced' }
    ]
  },
  {
    service: 'Google Contacts',
    rows: [
      [
        'First Name',
        'Last Name',
        'Birthday',
        'Notes',
        'E-mail 1 - Label',
        'E-mail 1 - Value',
        'E-mail 2 - Value',
        'Phone 1 - Value'
      ],
      ['Anna', 'Ähre', '1985-04-13', '', '* Work', anna, 'anna@example.net', '+49 30 1'],
      ['Bert', 'Öhm', '1990-12-24', 'met in Köln', 'Home', bert, '', '030 2']
    ],
    people: [
      { email: anna, status: '', values: { 'E-mail 2 - Value': 'anna@example.net', Birthday: '1985-04-13' } },
      { email: bert, status: '', values: { Notes: 'met in Köln' } }
    ]
  },
  {
    service: 'Outlook, German',
    rows: [
      [
        'Anrede',
        'Vorname',
        'Nachname',
        'Firma',
        'Postleitzahl geschäftlich',
        'E-Mail-Adresse',
        'E-Mail 2: Adresse',
        'Geburtstag'
      ],
      ['Frau', 'Anna', 'Ähre', 'Moor GmbH', '01067', anna, '', '13.04.1985'],
      ['Herr', 'Bert', 'Öhm', '', '10115', bert, 'bert@example.net', '24.12.1990']
    ],
    people: [
      { email: anna, status: '', values: { 'Postleitzahl geschäftlich': '01067', Geburtstag: '1985-04-13' } },
      { email: bert, status: '', values: { 'E-Mail 2: Adresse': 'bert@example.net' } }
    ]
  },
  {
    service: 'a club, by hand',
    rows: [
      ['Name', 'Mail', 'Mitglied', 'Beitrag', 'Eintritt', 'Keine Werbung'],
      ['Anna Ähre', anna, 'Ja', '60', '01.02.2020', ''],
      ['Bert Öhm', bert, 'Nein', '80', '15.03.2021', 'x'],
      ['Cleo Ütz', cleo, 'Ja', '80', '09.11.2022', '']
    ],
    people: [
      { email: anna, status: '', values: { Mitglied: 'true', Beitrag: '60', Eintritt: '2020-02-01' } },
      gone(bert, { Mitglied: 'false' }),
      { email: cleo, status: '', values: { Eintritt: '2022-11-09' } }
    ]
  }
]

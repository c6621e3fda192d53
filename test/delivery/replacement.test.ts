import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldDefinition } from '../../src-main/api/custom-fields/rules.ts'
import { codesOf, compile, type Recipient, writeContent } from '../../src-main/delivery/replacement.ts'

function field(id: number, name: string, settings: Partial<FieldDefinition> = {}): FieldDefinition {
  return {
    id,
    organizationId: 1,
    mailingListId: 1,
    name,
    type: 'text',
    required: false,
    instructions: null,
    attributes: {},
    options: [],
    ...settings
  }
}

const shared = {
  campaign: { id: 7, name: 'Spring & summer' },
  list: { id: 3, name: 'News' },
  sender: { from_email: 'news@example.com', from_name: 'News', sender_email: null, reply_to: null },
  fields: [
    field(1, 'First name'),
    field(2, 'Address', { type: 'text_multiline' }),
    field(3, 'Markup', { attributes: { interpolation_html_encode: false, interpolation_url_encode: false } }),
    field(4, 'Topics', {
      type: 'select_multiple_checkboxes',
      options: [
        { id: 1, name: 'Cars', position: 0 },
        { id: 2, name: 'Books', position: 1 }
      ]
    })
  ],
  timeZone: 'Europe/Vienna',
  isRemote: false
}
const recipient: Recipient = {
  id: 42,
  email: 'Anna@Example.com',
  subscribe_time: Date.parse('2015-12-04T23:30:00Z'),
  subscribe_ip: '192.0.2.1',
  values: { 1: 'Anna & Co <b>', 2: 'Street 1\nVienna', 3: '<i>x</i>', 4: [2, 1] },
  links: {
    unsubscribe: 'https://example.com/u?t=1&l=2',
    webVersion: 'https://example.com/w',
    unsubscribeToken: '42-abc'
  },
  replacements: new Map([['coupon_code', 'A<B']])
}
const codes = codesOf(shared, Date.parse('2026-12-31T23:30:00Z'))
const html = (text: string): string => writeContent(compile(text, 'html'), codes, recipient)
const text = (source: string): string => writeContent(compile(source, 'text'), codes, recipient)

describe('a replacement code becomes', () => {
  it.each([
    ['%%subscriber_id%%', '42'],
    ['%%subscribers_email_address%%', 'Anna@Example.com'],
    ['%%emailaddress_md5%%', '6b56db1f84a3997b902509d3fbf0a306'],
    ['%%mailing_list_id%%', '3'],
    ['%%mailing_list_name%%', 'News'],
    ['%%unsubscribe_link%%', 'https://example.com/u?t=1&l=2'],
    ['%%unsubscribe_token%%', '42-abc'],
    ['%%link_to_web_version%%', 'https://example.com/w'],
    ['%%data_campaign_id%%', '7'],
    ['%%campaign_id%%', '7'],
    ['%%data_campaign_name%%', 'Spring & summer'],
    ['%%data_current_year%%', '2027'],
    ['%%data_percent%%', '%'],
    ['%%data_from_email%%', 'news@example.com'],
    ['%%data_from_name%%', 'News'],
    ['%%data_sender_email%%', ''],
    ['%%data_reply_to_email%%', ''],
    ['%%data_subscribe_date_long%%', 'December 5, 2015'],
    ['%%data_subscribe_date_database%%', '2015-12-05'],
    ['%%data_subscribe_ip%%', '192.0.2.1'],
    ['%%api:Coupon code%%', 'A<B'],
    ['%%api:never_given%%', ''],
    ['%%first_name%%', 'Anna & Co <b>'],
    ['%%First_Name%%', 'Anna & Co <b>'],
    ['%%topics%%', 'Cars, Books']
  ])('in plain text, %s: %s', (code, value) => {
    expect(text(`<${code}>`)).toBe(`<${value}>`)
  })

  it('its fallback where the value is blank, and only there', () => {
    const nameless = { ...recipient, values: {} }
    const write = (source: string): string => writeContent(compile(source, 'html'), codes, nameless)

    expect(text('Dear %%First_name|friend%%')).toBe('Dear Anna & Co <b>')
    expect(write('Dear %%First name|<friend>%%, %%api:Code|no code%%')).toBe('Dear &lt;friend&gt;, no code')
    expect(write('%%First_name|a friend:raw%% %%nothing|at all%%')).toBe('a friend %%nothing|at all%%')
    expect(html('%%coupon_code|none%% %%api:coupon_code|none%%')).toBe('A&lt;B A&lt;B')
  })

  it('the value of a field whose own name contains a bar', () => {
    const barred = codesOf({ ...shared, fields: [field(9, 'a|b'), field(8, 'a')] }, 0)
    const values = { 8: 'of a', 9: 'of a|b' }

    expect(writeContent(compile('%%a|b%%', 'text'), barred, { ...recipient, values })).toBe('of a|b')
  })

  it('in HTML, text that is encoded', () => {
    expect(html('<p>%%first_name%%</p>')).toBe('<p>Anna &amp; Co &lt;b&gt;</p>')
    expect(html('<b title="%%first_name%%">')).toBe('<b title="Anna &amp; Co &lt;b&gt;">')
  })

  it('in a link, text that is encoded for addresses, unless the code is the whole beginning of it', () => {
    const encoded = 'Anna%20%26%20Co%20%3Cb%3E'
    expect(html('<a href="https://example.com/?n=%%first_name%%">')).toBe(
      `<a href="https://example.com/?n=${encoded}">`
    )
    expect(text('https://example.com/?n=%%first_name%% and %%first_name%%')).toBe(
      `https://example.com/?n=${encoded} and Anna & Co <b>`
    )
    expect(html('<a href="%%unsubscribe_link%%">')).toBe('<a href="https://example.com/u?t=1&amp;l=2">')
  })

  it('in an attribute without quotes, a value in quotes, which a space does not end', () => {
    const shown = 'Anna &amp; Co &lt;b&gt;'
    expect(html('<b title=%%first_name%%>x</b>')).toBe(`<b title="${shown}">x</b>`)
    expect(html('<b title=%%First name%% id=a>x')).toBe(`<b title="${shown}" id=a>x`)
    expect(html('<b title=a"%%first_name%%-b class=c>')).toBe(`<b title="a&quot;${shown}-b" class=c>`)
    expect(html('<img alt=%%first_name%% src=%%unsubscribe_link%%>')).toBe(
      `<img alt="${shown}" src="https://example.com/u?t=1&amp;l=2">`
    )
    expect(html('<b title=plain id="%%first_name%%">')).toBe(`<b title=plain id="${shown}">`)
    expect(html('<b title=%%first_name%%')).toBe(`<b title="${shown}"`)
    expect(html('%%first_name%% a=%%first_name%% <i>')).toBe(`${shown} a=${shown} <i>`)
  })

  it(':raw turns off both', () => {
    expect(html('%%first_name:raw%% <a href="/%%first_name:raw%%">')).toBe(
      'Anna & Co <b> <a href="/Anna & Co <b>">'
    )
    expect(html('%%api:coupon_code:raw%%')).toBe('A<B')
  })

  it('as the field itself says: unencoded, or with the line breaks of HTML', () => {
    expect(html('%%markup%% <a href="/%%markup%%">')).toBe('<i>x</i> <a href="/&lt;i&gt;x&lt;/i&gt;">')
    expect(html('%%address%%')).toBe('Street 1<br>\nVienna')
    expect(text('%%address%%')).toBe('Street 1\nVienna')
  })

  it('a value given with the message takes precedence over a custom field', () => {
    const given = { ...recipient, replacements: new Map([['first_name', 'Given']]) }
    expect(writeContent(compile('%%first_name%% %%api:first_name%%', 'text'), codes, given)).toBe(
      'Given Given'
    )
  })
})

it('a text that is not a code stays unchanged', () => {
  for (const source of ['%%no_such_field%%', '100%% of %%', '%%a\nb%%', '%%%%', '%']) {
    expect(html(source)).toBe(source)
  }
  fc.assert(
    fc.property(fc.string(), (source) => {
      const plain = source.replaceAll('%', '')
      expect(html(plain)).toBe(plain)
    })
  )
})

it('links made for delivery stay links, wherever they occur', () => {
  expect(html('<a href="%%unsubscribe_link%%">')).toBe('<a href="https://example.com/u?t=1&amp;l=2">')
  expect(html('<a href="%%link_to_web_version%%">')).toBe('<a href="https://example.com/w">')
  expect(text('http://example.com/go?to=%%unsubscribe_link%%')).toBe(
    'http://example.com/go?to=https://example.com/u?t=1&l=2'
  )
  expect(text('http://example.com/go?to=%%link_to_web_version%%')).toBe(
    'http://example.com/go?to=https://example.com/w'
  )
})

import { expect, it } from 'vitest'
import {
  domainKey,
  emailComplaint,
  emailKey,
  isDomain,
  isEmail
} from '../../src-main/api/subscribers/rules.ts'
import { textOf } from '../support/refusals.ts'

const domain = (length: number): string => {
  const labels = `${'d'.repeat(60)}.`.repeat(4)
  return `${labels}${'c'.repeat(length - labels.length)}`
}

it.each([
  ['ann@example.com', true],
  ["o'hara+news@example.co.uk", true],
  ['a@b.cc', true],
  ['a@b.c', false],
  ['a@b', false],
  ['.a@example.com', false],
  ['a..b@example.com', false],
  ['a b@example.com', false],
  ['a@example.com ', false],
  ['a@-example.com', false],
  ['a@example.c1', true],
  ['a@192.168.10.20', false],
  ['"a b"@example.com', true],
  ['müller@example.com', true],
  ['ann@münchen.de', true],
  ['ann@мир.рф', true],
  ['', false]
])('whether "%s" is an address: %s', (email, is) => {
  expect(isEmail(email)).toBe(is)
})

it('each side of the @ has at most 256 octets', () => {
  expect(isEmail(`${'a'.repeat(256)}@example.com`)).toBe(true)
  expect(isEmail(`${'a'.repeat(257)}@example.com`)).toBe(false)
  expect(isEmail(`a@${domain(256)}`)).toBe(true)
  expect(isEmail(`a@${domain(257)}`)).toBe(false)
  expect(isEmail(`${'ü'.repeat(128)}@example.com`)).toBe(true)
  expect(isEmail(`${'ü'.repeat(129)}@example.com`)).toBe(false)
  const wide = `${'ü'.repeat(32)}.`.repeat(3)
  expect(isEmail(`a@${wide}${'ü'.repeat(30)}c`)).toBe(true)
  expect(isEmail(`a@${wide}${'ü'.repeat(31)}.${'ü'.repeat(31)}`)).toBe(false)
})

it('two spellings of an address are recognized as the same address', () => {
  expect(emailKey(' Ann@Example.COM ')).toBe('ann@example.com')
  expect(emailKey('ann@xn--mnchen-3ya.de')).toBe('ann@münchen.de')
  expect(emailKey('ann@mu\u0308nchen.de')).toBe('ann@m\u00fcnchen.de')
  expect(emailKey('ann@xn--0.example')).toBe('ann@xn--0.example')
  expect(domainKey(' XN--mnchen-3ya.de')).toBe('münchen.de')
  expect(isDomain('example.com')).toBe(true)
  expect(isDomain('example')).toBe(false)
})

it('the complaint about an address shows its beginning', () => {
  expect(textOf(emailComplaint(' '))).toBe('cannot be blank')
  expect(textOf(emailComplaint('a'.repeat(60)))).toBe(`is not a valid email address: "${'a'.repeat(60)}"`)
  expect(textOf(emailComplaint('a'.repeat(61)))).toBe(`is not a valid email address: "${'a'.repeat(60)}…"`)
})

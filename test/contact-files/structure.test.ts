import { describe, expect, it } from 'vitest'
import {
  detectStructure,
  endsWithTotal,
  findHeaderLine,
  readSample
} from '../../src-main/contact-files/analysis/structure.ts'

const headerLine = (text: string): number | null => {
  const { csv_field_separator, csv_field_enclosure } = detectStructure(text, {})
  return findHeaderLine(readSample(text, csv_field_separator, csv_field_enclosure, 100).records)
}

describe('the enclosure of a file', () => {
  it('is the single quote where it encloses whole cells in all records', () => {
    expect(detectStructure("'email','city'\n'a@x.org','Ulm, Donau'\n", {}).csv_field_enclosure).toBe("'")
  })

  it.each([
    ['text marks', "email,phone\na@x.org,'+49 30 1\nb@x.org,'+49 30 2\n"],
    ['text marks at the start of lines', "id,email\n'7210,a@x.org\n'7211,b@x.org\n"],
    ['names', "email,city\na@x.org,'s-Hertogenbosch\nb@x.org,'t Zand\n"],
    [
      'one enclosed cell among plain ones',
      "email,note,city\na@x.org,'a, b',Ulm\nb@x.org,it's,Bonn\nc@x.org,'x,Kiel\n"
    ]
  ])('is the double quote where single quotes are %s', (_, text) => {
    expect(detectStructure(text, {}).csv_field_enclosure).toBe('"')
  })
})

describe('the separator of a file', () => {
  it.each([
    [';', 'Field1;Email;Note\nx;a@x.org;one,two,three,four\ny;b@x.org;five,six,seven,eight\n'],
    [';', 'a@x.org;\nb@x.org;\nc@x.org;\n'],
    [',', 'a@x.org\nb@x.org,Bert,Bonn\nc@x.org,Cleo,Kiel\n'],
    [',', 'email,name\n"a@x.org, a@y.org",Anna\nb@x.org; b@y.org,Bert\n'],
    ['\t', 'E-Mail\tName, Vorname\na@x.org\tAnt, Anna\n'],
    ['|', 'email|tags\na@x.org|a,b,c\nb@x.org|a,b,c\n'],
    [';', 'sep=;\r\nemail;city\r\na@x.org;Ulm\r\n']
  ])('%j is found in %j', (separator, text) => {
    expect(detectStructure(text, {}).csv_field_separator).toBe(separator)
  })
})

describe('the line of the column names', () => {
  it.each([
    ['is the first one', 'email,city\na@x.org,Ulm\n', 1],
    ['follows the line sep=', 'sep=;\nemail;city\na@x.org;Ulm\n', 2],
    [
      'follows notes and blank lines',
      'Notes:\n"Some, text"\n\nFirst,Last,Email\nA,B,a@x.org\nC,D,c@x.org\n',
      4
    ],
    [
      'follows a title as wide as the table',
      'Customers 2024;;\n;;\nemail;name;city\na@x.org;A;Ulm\nb@x.org;B;Bonn\n',
      3
    ],
    ['is missing where the first row holds an address', 'a@x.org\nb@x.org,Bert,Bonn\n', null],
    ['is missing where the address stands in brackets', 'Anna <a@x.org>\nBert <b@x.org>\n', null],
    ['is that of the only column', 'Recipient\na@x.org\n', 1],
    [
      'may have fewer names than rows have cells',
      'email,city\na@x.org,Ulm,extra,more\nb@x.org,Bonn,extra,more\n',
      1
    ]
  ])('%s', (_, text, line) => {
    expect(headerLine(text)).toBe(line)
  })
})

it('a last line that begins with Total and has no address is a line of totals', () => {
  expect(
    endsWithTotal([
      ['b@x.org', '4'],
      ['Total', '7']
    ])
  ).toBe(true)
  expect(endsWithTotal([['', 'Summe: 7']])).toBe(true)
  expect(endsWithTotal([['Total Recall', 'x']])).toBe(false)
  expect(endsWithTotal([['Total', 'total@x.org']])).toBe(false)
})

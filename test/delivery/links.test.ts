import { describe, expect, it } from 'vitest'
import { countClicks, linksOf } from '../../src-main/delivery/links.ts'
import { attributesIn, urlsIn } from '../../src-main/delivery/markup.ts'

describe('the links of an HTML content', () => {
  it.each([
    ['<a href="https://a.example/">A</a>', ['https://a.example/']],
    ["<A HREF='http://a.example/b'>A</A>", ['http://a.example/b']],
    ['<a class=x href = "https://a.example/?a=1&amp;b=2" id=y>', ['https://a.example/?a=1&b=2']],
    ['<a href="https://a.example/"><a href="https://a.example/">', ['https://a.example/']],
    ['<b <a href="https://a.example/">', ['https://a.example/']],
    ['<a/href="https://a.example/">', ['https://a.example/']],
    ['<a href=https://a.example/>', []],
    ['<a href="mailto:a@example.com">', []],
    ['<a href="https://">', []],
    ['<a data-href="https://a.example/">', []],
    ['<link href="https://a.example/">', []],
    ['< a href="https://a.example/">', []],
    ['1 < 2 and a > b href="https://a.example/"', []],
    ['<a href="https://a.example/', []]
  ])('of %s are %j', (html, links) => {
    expect(linksOf({ html, text: '' })).toEqual(links)
  })

  it('are replaced in place, without any other change', () => {
    const html = `<p title="x"><a href='https://a.example/'>A</a> <a href="https://b.example/">B</a></p>`
    expect(countClicks(html, 'html', [{ id: 7, url: 'https://a.example/' }])).toBe(
      `<p title="x"><a href="%%link:7%%">A</a> <a href="https://b.example/">B</a></p>`
    )
  })
})

it('attributes are found with their tags, names and values', () => {
  const found = [...attributesIn(`<IMG Src=a.png alt="" checked title='b'>`)]
  expect(found.map(({ tag, name, quote }) => [tag, name, quote])).toEqual([
    ['img', 'src', ''],
    ['img', 'alt', '"'],
    ['img', 'title', "'"]
  ])
  expect(found.map(({ start, end }) => [start, end])).toEqual([
    [9, 14],
    [20, 20],
    [37, 38]
  ])
})

describe('an address in a plain text', () => {
  it.each([
    ['See https://a.example/b.', ['https://a.example/b']],
    ['(https://a.example/b)', ['https://a.example/b']],
    ['https://a.example/b_(c)', ['https://a.example/b_(c)']],
    ['(see https://a.example/b_(c))', ['https://a.example/b_(c)']],
    ['https://a.example/b_(c).', ['https://a.example/b_(c)']],
    ['HTTP://A.example/?q=1, then "https://b.example"!', ['HTTP://A.example/?q=1', 'https://b.example']],
    ['https://a.example/<b>', ['https://a.example/']],
    ['https://', []],
    ['https://...', []],
    ['xhttps://a.example', []]
  ])('%s: %j', (text, urls) => {
    expect([...urlsIn(text)].map(({ start, end }) => text.slice(start, end))).toEqual(urls)
    expect(linksOf({ html: '', text })).toEqual(urls)
  })
})

it.each([
  ['<a ', 400_000],
  ['<a href="', 200_000],
  ['<a href=', 200_000],
  ['%%', 400_000],
  ['https://', 200_000],
  ['(https://a.example/)', 100_000],
  ['<"', 400_000]
])('%j many times is scanned in time proportional to its length', (part, times) => {
  const content = part.repeat(times)
  const took = (length: number): number => {
    const some = content.slice(0, length)
    const began = performance.now()
    linksOf({ html: some, text: some })
    return performance.now() - began
  }
  took(content.length)
  // Twice the length takes some twice as long; what is quadratic takes four times, and these seconds.
  expect(took(content.length)).toBeLessThan(3000)
})

it('an equals sign before an attribute name is part of the name, as in browsers', () => {
  const found = [...attributesIn('<a =b="1" c="2" d>')]
  expect(found.map(({ name, quote }) => [name, quote])).toEqual([
    ['=b', '"'],
    ['c', '"']
  ])
})

import { expect, it } from 'vitest'
import { atEndOfBody, framedHtml, framedText, shownHtml } from '../../src-main/delivery/frame.ts'

const frame = { html_header: '<h1>', html_footer: '<hr>', text_header: 'Above', text_footer: 'Below' }

it.each([
  ['<p>Hi</p>', '<h1><p>Hi</p><hr>'],
  ['<body>Hi</body>', '<body><h1>Hi<hr></body>'],
  ['<html><BODY class="a">Hi</BODY ></html>', '<html><BODY class="a"><h1>Hi<hr></BODY ></html>'],
  // It has no end.
  ['<body>Hi', '<body><h1>Hi<hr>'],
  ['<bodyguard>Hi', '<h1><bodyguard>Hi<hr>']
])('header and footer of %s stand within its body', (html, framed) => {
  expect(framedHtml(html, frame)).toBe(framed)
})

it('additions at the end of HTML go before the end of the body, even if the body is empty', () => {
  expect(atEndOfBody('Hi', '!')).toBe('Hi!')
  expect(atEndOfBody('</body>', '!')).toBe('!</body>')
})

it('header and footer of a text have their own lines, and none if they are blank', () => {
  expect(framedText('Hi', frame)).toBe('Above\n\nHi\n\nBelow')
  expect(framedText('Hi', { ...frame, text_header: ' \n' })).toBe('Hi\n\nBelow')
  expect(framedText('', { ...frame, text_footer: '' })).toBe('Above')
})

it('the visible texts are the header, the footer and each content', () => {
  expect(shownHtml(frame, [{ html: 'a' }, { html: 'b' }])).toEqual(['<h1>', '<hr>', 'a', 'b'])
})

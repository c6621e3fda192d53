// Where links stand in a content. A content comes from outside and may be of any size: everything here looks at each
// character a bounded number of times.

/** The value of an attribute in HTML, without its quotes. */
export interface AttributeValue {
  /** In lower case, like the name. */
  tag: string
  name: string
  start: number
  /** Exclusive. */
  end: number
  /** '' for a value without quotes. */
  quote: '"' | "'" | ''
}

/** @returns where `pattern` first matches at or after `from`; the length of the text if it does not */
function find(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

const noName = /[^a-z0-9:-]/gi
const noSpace = /[^\s/]/g
const endOfName = /[\s=>/<]/g
const notBlank = /\S/g
const endOfPlainValue = /[\s>]/g

/** The attributes of all tags, in the order of the text. What no browser would take for a tag has none. */
export function* attributesIn(html: string): Generator<AttributeValue> {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const nameEnd = find(html, noName, at + 1)
    const tag = html.slice(at + 1, nameEnd).toLowerCase()
    at = nameEnd
    if (!/^[a-z]/.test(tag)) continue
    for (;;) {
      at = find(html, noSpace, at)
      // A tag that is never closed ends where the next one begins.
      if (at >= html.length || html[at] === '>' || html[at] === '<') break
      const start = at
      at = find(html, endOfName, html[at] === '=' ? at + 1 : at)
      const name = html.slice(start, at).toLowerCase()
      const sign = find(html, notBlank, at)
      if (html[sign] !== '=') continue
      at = find(html, notBlank, sign + 1)
      const quote = html[at]
      if (quote === '"' || quote === "'") {
        const end = html.indexOf(quote, at + 1)
        if (end < 0) return
        yield { tag, name, start: at + 1, end, quote }
        at = end + 1
      } else {
        const end = find(html, endOfPlainValue, at)
        yield { tag, name, start: at, end, quote: '' }
        at = end
      }
    }
  }
}

/** A part of a text. */
export interface Range {
  start: number
  /** Exclusive. */
  end: number
}

const urlStart = /\bhttps?:\/\//gi
const endOfUrl = /[\s<>"']/g

/**
 * The addresses that are written out in a plain text, in its order. Punctuation at the end belongs to the sentence, and so
 * does a parenthesis that was opened before the address.
 */
export function* urlsIn(text: string): Generator<Range> {
  for (let from = 0; ;) {
    urlStart.lastIndex = from
    const match = urlStart.exec(text)
    if (!match) return
    const bodyStart = match.index + match[0].length
    const stop = find(text, endOfUrl, bodyStart)
    const end = withoutPunctuation(text, match.index, stop)
    if (end > bodyStart) yield { start: match.index, end }
    from = stop
  }
}

function withoutPunctuation(text: string, start: number, stop: number): number {
  let unopened = 0
  for (let at = start; at < stop; at++) {
    if (text[at] === ')') unopened++
    else if (text[at] === '(') unopened--
  }
  let end = stop
  for (; end > start; end--) {
    const last = text[end - 1] ?? ''
    if (last === ')' && unopened-- <= 0) return end
    if (last !== ')' && !'.,;:!?]'.includes(last)) return end
  }
  return end
}

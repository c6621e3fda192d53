import { isEmail } from '../../api/subscribers/rules.ts'

/** Parts that were removed from the addresses of a cell. */
export type AddressChange = 'name' | 'marks' | 'invisible' | 'several'

/** The addresses of a cell, and how they were cleaned. */
export interface ReadAddresses {
  /** One address for nearly every cell; none for a blank cell. Invalid addresses are included, so that the refusal can name them. */
  addresses: string[]
  change: AddressChange | null
}

/**
 * Invisible characters that addresses never contain: zero-width ones, direction marks, soft hyphens, byte
 * order marks.
 */
const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/g
const wideSigns: Record<string, string> = { '＠': '@', '．': '.', '｡': '.', '。': '.', '﹫': '@' }
const inAngles = /<\s*(?:mailto:)?([^<>\s]+@[^<>\s]+?)\s*>/gi
const scheme = /^\s*(?:mailto|e-?mail|smtp)\s*:\s*/i
const comment = /\s*\([^()]*\)\s*$/
const severalSeparators = /[\s,;|]+|\/(?=[^/@\s]+@)/

/** Cells with more characters contain no address typed by a person. */
const longestCell = 2000

/**
 * Reads the addresses of a cell as people and programs write them: with names, mailto:, brackets and
 * punctuation.
 */
export function readAddresses(cell: string): ReadAddresses {
  const trimmed = cell.trim()
  if (trimmed === '') return { addresses: [], change: null }
  // The cell is probably a note in the wrong column, and searching it would take long.
  if (trimmed.length > longestCell) return { addresses: [trimmed], change: null }
  // Nearly all cells need no cleaning. A colon can be part of an address.
  if (isPlain(trimmed)) return { addresses: [trimmed], change: null }
  const visible = trimmed
    .replace(invisible, '')
    .replaceAll(/[＠．｡。﹫]/g, (sign) => wideSigns[sign] ?? sign)
    .trim()
  if (isPlain(visible)) return { addresses: [visible], change: 'invisible' }
  const named = [...visible.matchAll(inAngles)].flatMap(([, address = '']) => address)
  const isAllNamed = named.length > 0 && !visible.replace(inAngles, '').includes('@')
  if (isAllNamed && named.every(isEmail)) {
    return { addresses: unlike(named), change: unlike(named).length > 1 ? 'several' : 'name' }
  }
  const bare = bareAddress(visible)
  if (isEmail(bare)) return { addresses: [bare], change: comment.test(visible) ? 'name' : 'marks' }
  const parts = visible
    .split(severalSeparators)
    .map(bareAddress)
    .filter((part) => part !== '')
  const addresses = parts.filter(isEmail)
  if (addresses.length > 1 && addresses.length === parts.length) {
    const different = unlike(addresses)
    return { addresses: different, change: different.length > 1 ? 'several' : 'marks' }
  }
  return foundAddresses(visible) ?? { addresses: [trimmed], change: null }
}

/** True for an address without separators or characters that precede one. */
function isPlain(text: string): boolean {
  return isEmail(text) && !scheme.test(text) && !/[;=]/.test(text.replace(/^"[^"]*"/, ''))
}

const anyAddress = /[\p{L}\p{N}._%+-]+@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/gu

/**
 * Returns the addresses in a text such as "privat: a@b.org" or a link; null if the rest may be part of one.
 */
function foundAddresses(text: string): ReadAddresses | null {
  if (!text.includes('@')) return null
  const found = unlike([...text.matchAll(anyAddress)].map(([address]) => address))
  const rest = text.replaceAll(anyAddress, ' ')
  if (found.length === 0 || rest.includes('@') || !found.every(isEmail)) return null
  // Mistakes such as "max @example.org" and "nora@example..org" are left for the user to correct.
  if (/\.\s|^\s*\.|\.\s*$/.test(rest.trim()) && found.length === 1) return null
  return { addresses: found, change: found.length > 1 ? 'several' : 'name' }
}

/** Removes mailto:, a comment, and the brackets, quotes and punctuation around an address. */
function bareAddress(text: string): string {
  return text
    .replace(comment, '')
    .replace(scheme, '')
    .replace(/\?.*$/, (query) => (query.includes('=') ? '' : query))
    .replace(/^[\s"'“”„‘’«»<([{]+/, '')
    .replace(/[\s"'“”‘’«»>)\]},;:.]+$/, '')
}

function unlike(addresses: string[]): string[] {
  const keys = new Set<string>()
  return addresses.filter((address) => {
    const key = address.toLowerCase()
    if (keys.has(key)) return false
    keys.add(key)
    return true
  })
}

const names: Record<string, string> = {
  '\u00a0': 'a no-break space',
  '\u00ad': 'a soft hyphen',
  '\u200b': 'a zero-width space',
  '\u200c': 'a zero-width non-joiner',
  '\u200d': 'a zero-width joiner',
  '\u200e': 'a left-to-right mark',
  '\u200f': 'a right-to-left mark',
  '\u2060': 'a word joiner',
  '\ufeff': 'a byte order mark',
  '\t': 'a tab',
  '\n': 'a line break',
  '\r': 'a line break',
  '\u3000': 'an ideographic space'
}

/** Names the invisible or blank character inside an invalid address, by its code point if it has no name; null = none. */
export function blankInside(text: string): { blank: string } | { character: string } | null {
  const found = /[\s\p{Cf}\p{Cc}]/u.exec(text.trim())?.[0]
  if (found === undefined) return null
  if (found === ' ') return { blank: 'a space' }
  const blank = names[found]
  if (blank !== undefined) return { blank }
  return { character: `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` }
}

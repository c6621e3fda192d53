/**
 * Large mailbox providers by the name before the first dot, with the valid endings. Names one letter away
 * from a word, such as orange, are left out: a similar domain may be valid.
 */
const providers: Record<string, string[]> = {
  gmail: ['com'],
  googlemail: ['com'],
  yahoo: ['com', 'co.uk', 'fr', 'de', 'it', 'es', 'ca', 'co.in', 'com.br', 'com.au', 'co.jp'],
  ymail: ['com'],
  hotmail: ['com', 'co.uk', 'fr', 'de', 'it', 'es', 'nl', 'be', 'ch', 'se', 'dk', 'no', 'ca'],
  outlook: ['com', 'de', 'fr', 'es', 'it', 'at', 'be', 'dk', 'pt', 'jp', 'com.br'],
  live: ['com', 'co.uk', 'fr', 'de', 'it', 'nl', 'be', 'at', 'se', 'dk', 'ca'],
  icloud: ['com'],
  protonmail: ['com', 'ch'],
  aol: ['com', 'de', 'co.uk', 'fr'],
  comcast: ['net'],
  verizon: ['net'],
  btinternet: ['com'],
  bluewin: ['ch'],
  't-online': ['de'],
  freenet: ['de'],
  gmx: ['net', 'de', 'at', 'ch', 'com'],
  wanadoo: ['fr'],
  laposte: ['net'],
  yandex: ['ru', 'com'],
  seznam: ['cz']
}

/** Shorter names are likely valid names of their own. */
const minLength = 5

const wrongEndings: Record<string, string[]> = {
  com: ['con', 'cm', 'om', 'co', 'comm', 'cim', 'vom', 'xom', 'cpm', 'ocm', 'coml'],
  net: ['ner', 'nte', 'ent', 'bet', 'nett']
}

const longNames = Object.keys(providers).filter((name) => name.length >= minLength)

/** The common domain that a misspelt one probably stands for; null where it does not look misspelt. @param domain in lower case */
export function likelyDomain(domain: string): string | null {
  const dot = domain.indexOf('.')
  const [name, ending] = [domain.slice(0, dot), domain.slice(dot + 1)]
  if (dot < 1) return null
  // Names such as constructor are keys of any object.
  const own = Object.hasOwn(providers, name) ? providers[name] : undefined
  if (own) {
    const meant = own.find((each) => wrongEndings[each]?.includes(ending))
    return meant === undefined ? null : `${name}.${meant}`
  }
  // If only the ending differs too, the intended domain is unclear.
  const meant = longNames.find((each) => providers[each]?.includes(ending) && isOneSlipFrom(each, name))
  return meant === undefined ? null : `${meant}.${ending}`
}

/**
 * True if two names differ by one letter (extra, missing or wrong) or by two swapped ones. The first letter
 * is rarely wrong: other first letters, as in cloud, make other names.
 */
function isOneSlipFrom(meant: string, written: string): boolean {
  if (Math.abs(meant.length - written.length) > 1) return false
  let start = 0
  while (start < meant.length && meant[start] === written[start]) start++
  const isSwapped = meant[start] === written[start + 1] && meant[start + 1] === written[start]
  if (isSwapped && meant.slice(start + 2) === written.slice(start + 2)) return true
  if (start === 0) return false
  const ofMeant = meant.slice(start + (meant.length >= written.length ? 1 : 0))
  const ofWritten = written.slice(start + (written.length >= meant.length ? 1 : 0))
  return ofMeant === ofWritten
}

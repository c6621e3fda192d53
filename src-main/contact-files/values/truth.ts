const yes = new Set([
  ...[
    'true',
    'yes',
    'y',
    '1',
    'x',
    '✓',
    '✔',
    '☑',
    'on',
    't',
    'ja',
    'j',
    'wahr',
    'oui',
    'vrai',
    'si',
    'sí',
    'sì',
    'verdadero',
    'checked',
    'enabled',
    'tak',
    'ano'
  ]
])
const no = new Set([
  ...[
    'false',
    'no',
    'n',
    '0',
    '✗',
    '✘',
    '☐',
    'off',
    'f',
    'nein',
    'falsch',
    'non',
    'faux',
    'unchecked',
    'disabled',
    'nie',
    'ne',
    'falso'
  ]
])

/** Parses yes or no in the words of English, German and other programs; null for neither. */
export function readTruth(cell: string): boolean | null {
  const key = cell.trim().toLowerCase()
  if (yes.has(key)) return true
  return no.has(key) ? false : null
}

const yesFirst = /^(?:ja|yes|oui|si|sí|true)(?![\p{L}\p{N}])/iu
const noFirst = /^(?:nein|no|nicht|not|kein\p{L}*|never|nie|niemals|non|false)(?![\p{L}\p{N}])/iu

/** Like {@link readTruth}, also for answers such as "Ja, gerne" and numbers such as 0.0. */
export function readAnswer(cell: string): boolean | null {
  const text = cell.trim()
  const truth = readTruth(/^[01][.,]0+$/.test(text) ? text.slice(0, 1) : text)
  if (truth !== null) return truth
  if (yesFirst.test(text)) return true
  return noFirst.test(text) ? false : null
}

/** Words that always mean yes or no; others only together with their counterpart. */
const unmistakable = new Set([
  'true',
  'false',
  'yes',
  'ja',
  'nein',
  'wahr',
  'falsch',
  'x',
  '✓',
  '✔',
  '☑',
  'checked'
])

/** Letters that mean yes or no only together. */
const letterPairs = ['x', 'yn', 'jn', 'tf', 'sn', 'on']

/** True if the values of a column are yes and no: not "x" and "y", which may be any letters. */
export function areTruths(values: readonly string[]): boolean {
  const letters = new Set<string>()
  let hasWords = false
  for (const value of values) {
    const key = value.trim().toLowerCase()
    if (readTruth(key) === null) return false
    if (/^[a-z]$/.test(key)) letters.add(key)
    else hasWords = true
  }
  const all = [...new Set([...values].map((value) => value.trim().toLowerCase()))]
  const isOneSided = new Set(all.map(readTruth)).size < 2
  // A column with only "NO" may hold countries, and one with only "F" may hold genders.
  const isCertain = (value: string): boolean =>
    unmistakable.has(value) || (value === 'no' && !values.includes('NO'))
  if (isOneSided && !all.every(isCertain)) return false
  return (
    letters.size === 0 ||
    (!hasWords && letterPairs.some((pair) => [...letters].every((each) => pair.includes(each))))
  )
}

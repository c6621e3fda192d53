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

/** Reads yes or no as English, German and other programs write it; null for neither. */
export function readTruth(cell: string): boolean | null {
  const key = cell.trim().toLowerCase()
  if (yes.has(key)) return true
  return no.has(key) ? false : null
}

/** Letters that mean yes or no only beside each other. */
const letterPairs = ['x', 'yn', 'jn', 'tf', 'sn', 'on']

/** Whether the values of a column are yes and no: not "x" and "y", which are letters like any others. */
export function areTruths(values: Iterable<string>): boolean {
  const letters = new Set<string>()
  let hasWords = false
  for (const value of values) {
    const key = value.trim().toLowerCase()
    if (readTruth(key) === null) return false
    if (/^[a-z]$/.test(key)) letters.add(key)
    else hasWords = true
  }
  return (
    letters.size === 0 ||
    (!hasWords && letterPairs.some((pair) => [...letters].every((each) => pair.includes(each))))
  )
}

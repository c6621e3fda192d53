/** Supported character sets: labels of the WHATWG Encoding Standard, with names for users. */
export const characterSetNames = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252 (Western European)',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'windows-1253': 'Windows-1253 (Greek)',
  'windows-1254': 'Windows-1254 (Turkish)',
  'windows-1255': 'Windows-1255 (Hebrew)',
  'windows-1256': 'Windows-1256 (Arabic)',
  'windows-1257': 'Windows-1257 (Baltic)',
  'windows-1258': 'Windows-1258 (Vietnamese)',
  'windows-874': 'Windows-874 (Thai)',
  'iso-8859-1': 'ISO-8859-1 (Western European)',
  'iso-8859-2': 'ISO-8859-2 (Central European)',
  'iso-8859-3': 'ISO-8859-3 (South European)',
  'iso-8859-4': 'ISO-8859-4 (Baltic)',
  'iso-8859-5': 'ISO-8859-5 (Cyrillic)',
  'iso-8859-6': 'ISO-8859-6 (Arabic)',
  'iso-8859-7': 'ISO-8859-7 (Greek)',
  'iso-8859-8': 'ISO-8859-8 (Hebrew)',
  'iso-8859-10': 'ISO-8859-10 (Nordic)',
  'iso-8859-13': 'ISO-8859-13 (Baltic)',
  'iso-8859-14': 'ISO-8859-14 (Celtic)',
  'iso-8859-15': 'ISO-8859-15 (Western European with €)',
  'iso-8859-16': 'ISO-8859-16 (Romanian)',
  macintosh: 'Mac Roman',
  'x-mac-cyrillic': 'Mac Cyrillic',
  'koi8-r': 'KOI8-R (Russian)',
  'koi8-u': 'KOI8-U (Ukrainian)',
  ibm866: 'IBM 866 (DOS Cyrillic)',
  shift_jis: 'Shift JIS (Japanese)',
  'euc-jp': 'EUC-JP (Japanese)',
  'iso-2022-jp': 'ISO-2022-JP (Japanese)',
  gb18030: 'GB18030 (Chinese, simplified)',
  big5: 'Big5 (Chinese, traditional)',
  'euc-kr': 'EUC-KR (Korean)',
  'unicode-1-1-utf-8': 'UTF-8 with damaged letters'
} as const

export type ReadableCharacterSet = keyof typeof characterSetNames

// The keys of an object are strings to TypeScript; these are exactly those above.
export const readableCharacterSets = Object.keys(characterSetNames) as ReadableCharacterSet[]

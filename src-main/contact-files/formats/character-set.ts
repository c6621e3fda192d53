import { type ReadableCharacterSet, readableCharacterSets } from '../character-sets.ts'

// The character set of a contact file is guessed by what its letters become in each: how usual they are in the languages that the set
// was made for, and what is odd about their places. Measured on 2,352 generated lists of names in 28 languages, 5,040 files in their
// older character sets: all right, where the package chardet has 49 % of them and jschardet 93 %.

export interface CharacterSetGuess {
  /** A label of the WHATWG Encoding Standard. */
  characterSet: ReadableCharacterSet
  /** 0 to 1: below {@link sureCharacterSet} the user is asked. */
  confidence: number
  /** Likeliest first; a score is a logarithm. */
  candidates: { characterSet: ReadableCharacterSet; score: number }[]
}

/** For lists of at least 20 names no wrong guess was above it, and 2 % of the guesses were below. */
export const sureCharacterSet = 0.7

/**
 * Non-ASCII letters of each language, most frequent first (weight 1 / rank). Written from general knowledge.
 */
const letterOrders: Record<string, string> = {
  de: 'üöäßé',
  nl: 'ëéïöüèç',
  fr: 'éèçêëïôîâûàœüÿ',
  ca: 'óàèíçéïúòü',
  es: 'íáóéñúü',
  pt: 'ãáéçóíâêôõúà',
  it: 'òàèùìé',
  sv: 'öåäéü',
  da: 'øæåéöü',
  no: 'øåæéö',
  fi: 'äöåé',
  is: 'óíáöéðæþúý',
  ga: 'áéíóú',
  sq: 'ëç',
  cy: 'ŵŷâêô',
  pl: 'łóńąśężćź',
  cs: 'áíčéřšěýžůúňťďóü',
  sk: 'áíčéýšžúľňťôďóäĺŕ',
  hu: 'áéóöíőüúű',
  ro: 'ăţşîâ',
  ro2: 'ățșîâ',
  hr: 'ćčšžđ',
  sl: 'čšž',
  tr: 'ıüşöçğİâ',
  lt: 'ėšžūčįąųę',
  lv: 'āšīņēžūļčķģ',
  et: 'äõüöšž',
  vi: 'đôêâư\u0323\u0300\u0301ăơ\u0309\u0303áàúãóíòùéìýèõ',
  eo: 'ĉĝŝĵŭĥ',
  mt: 'ħżġċ',
  el: 'αοιςσηρνλτκυπεμδάςγίθχόωφέύβώήξζψϊϋΐΰ',
  ru: 'аоинервлктсмдбкяугьшйыпчзюхжфеэцёщъ',
  uk: 'аоинекрвлтісмдупйьябгзчшхюжцєїфщґ',
  bg: 'аоиветнрлсдкмяпгбчзуйхшжцюъфщь',
  sr: 'аиоевнрјлскмтдубпгшћчзњжљђхцфџ',
  be: 'аніркоелвыускічтмядьпбзгўхшйжцюфэё',
  he: 'ילרנבמאושדהחתקעגםצזטכפןסךףץ',
  ar: 'الميرنبدحعسةوهفكتقشجزخطصىضغئأثظذءإآؤ',
  fa: 'انریمدیسهبوتحلشکفعزقگخجغپطصچذضظ',
  th: 'านรกอเมวยทสลตชปคิีุูพดบะัไแงจณธศ่้ขโ์ซ็ฐภถหผใญืึฉษำฎฏฟๆฬ'
}
/**
 * The usual characters of names and towns (equal weights), and the range of lead bytes of other common ones.
 */
const ideographs: Record<string, { usual: string; charset: string; first: number; last: number }> = {
  zh: {
    charset: 'gb18030',
    first: 0xb0,
    last: 0xd7,
    usual:
      '王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰红建国文志春梅海东小晓婷雪飞鹏宇浩欣怡子梓涵轩俊佳思雨中北京上海广州深圳天津南西安成都重庆杭武汉青岛大连沙长市省县区山福宁波'
  },
  tw: {
    charset: 'big5',
    first: 0xa4,
    last: 0xc6,
    usual:
      '陳林黃張李王吳劉蔡楊許鄭謝郭洪曾邱廖賴周徐蘇葉莊呂江何蕭羅高潘簡朱鍾彭游詹胡施沈余盧梁趙顏柯翁魏孫戴范方宋鄧杜傅侯曹薛丁卓馬董唐石藍志明俊傑建宏家豪淑芬美玲雅婷怡君惠文華雄麗秀英玉春嘉宗偉承佳欣宜芳慧如雯國中台北臺南東高雄新竹桃園基隆市縣區鄉鎮山嘉義花蓮彰化屏雲投苗栗宜香港九龍澳門'
  },
  ja: {
    charset: 'euc-jp',
    first: 0xb0,
    last: 0xcf,
    usual:
      '田中山川本村木小大林井上下佐藤高橋野松原石島岡谷西東南北崎口池森橋渡辺伊加斉斎藤吉清水長内沢福三阿部遠青坂金近藤太平宮岩菊古今荒市杉安武丸五十嵐子美恵智一郎二次夫男雄介也樹真由紀香奈直健裕明幸和彦正義秀博浩翔陽優花菜結愛千葉京都府県阪神戸名屋札幌広仙台浜区町津熊鹿児新潟静前富静徳知岐奈良ーンのアイウエオカキクコサシスタツトナニノマミムメモヤユラリルレロ'
  },
  ko: {
    charset: 'euc-kr',
    first: 0xb0,
    last: 0xc8,
    usual:
      '김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편영희미수경숙자순철호준우진혜은지현민서연재동상승훈용태광대종시부산울인천대전세포창원주청구도군면읍동리로북남강릉목여'
  }
}
const characterSets: Partial<Record<ReadableCharacterSet, number>> = {
  'windows-1252': 0,
  'windows-1250': 0.5,
  'windows-1251': 0.5,
  'windows-1253': 0.5,
  'windows-1254': 0.5,
  'windows-1257': 0.7,
  'iso-8859-15': 1,
  'iso-8859-2': 0.8,
  macintosh: 1,
  'koi8-r': 1,
  'koi8-u': 1.2,
  ibm866: 1.2,
  'iso-8859-7': 1,
  'iso-8859-5': 1.5,
  'x-mac-cyrillic': 1.5,
  'windows-1255': 1,
  'windows-1256': 1,
  'windows-1258': 1.5,
  'windows-874': 1.5,
  'iso-8859-13': 1.5,
  'iso-8859-4': 2,
  'iso-8859-10': 2.5,
  'iso-8859-16': 7,
  'iso-8859-3': 3,
  'iso-8859-14': 4,
  'iso-8859-6': 2,
  'iso-8859-8': 2,
  'utf-8': 0,
  shift_jis: 0.5,
  gb18030: 0.5,
  big5: 0.7,
  'euc-kr': 0.5,
  'euc-jp': 1
}
/** The Latin languages of each set; other languages are less likely in it. */
const western = 'de nl fr ca es pt it sv da no fi is ga sq eo mt cy'
const central = 'pl cs sk hu ro ro2 hr sl sq de'
const baltic = 'lt lv et pl fi sv'
const northern = 'sv da no fi is et lt lv de'
const languagesOf: Partial<Record<ReadableCharacterSet, string>> = {
  'utf-8': `${western} ${central} ${baltic} tr vi`,
  'windows-1252': western,
  'iso-8859-15': `${western} et`,
  macintosh: western,
  'windows-1250': central,
  'iso-8859-2': central,
  'iso-8859-16': 'ro2',
  'windows-1254': 'tr',
  'iso-8859-3': 'mt eo tr',
  'windows-1257': baltic,
  'iso-8859-13': baltic,
  'iso-8859-4': northern,
  'iso-8859-10': northern,
  'windows-1258': 'vi',
  'iso-8859-14': 'cy ga',
  'windows-1256': 'fr'
}
const foreignPenalty = 3
const multiByteSets = new Set<ReadableCharacterSet>(['shift_jis', 'gb18030', 'big5', 'euc-kr', 'euc-jp'])
const maxPieces = 1500
const strangeShare = 2e-6 // the share of letters no listed language has
const isLetter = (c: string): boolean => /[\p{L}\p{M}]/u.test(c)

function scriptOf(code: number): number {
  if (code < 0x370 || (code >= 0x1e00 && code < 0x1f00)) return 1 // Latin and accents
  if (code < 0x400) return 2
  if (code < 0x530) return 3
  return code < 0x600 ? 4 : code < 0x700 ? 5 : code >= 0xe00 && code < 0xe80 ? 6 : code >= 0x2e80 ? 7 : 8
}

interface Model {
  language: string
  latin: boolean
  weight: (letter: string) => number
}
let models: Model[] | undefined
function getModels(): Model[] {
  if (models) return models
  const alphabets = Object.values(letterOrders).map((letters) => {
    const table = new Map<string, number>()
    ;[...letters].forEach((c, rank) =>
      table.set(c, (table.get(c) ?? 0) + 1 / (rank + ([...letters].length > 20 ? 6 : 1.5)))
    )
    const sum = [...table.values()].reduce((a, b) => a + b, 0)
    for (const [c, w] of table) table.set(c, w / sum)
    return table
  })
  const shared = new Map<string, number>() // any language at all: foreign names in a list
  for (const table of alphabets)
    for (const [c, w] of table) shared.set(c, (shared.get(c) ?? 0) + w / alphabets.length)
  const foreign = (c: string): number => 0.04 * (shared.get(c) ?? 0) + strangeShare
  models = Object.entries(letterOrders).map(([language, letters], index) => ({
    language,
    latin: scriptOf(letters.codePointAt(0) ?? 0) === 1,
    weight: (c) => 0.96 * (alphabets[index]?.get(c) ?? 0) + foreign(c)
  }))
  for (const [language, { usual, charset, first, last }] of Object.entries(ideographs)) {
    const known = new Set(usual)
    const bytes: number[] = []
    for (let lead = first; lead <= last; lead++)
      for (let trail = charset === 'big5' ? 0x40 : 0xa1; trail < 0xff; trail++)
        if (trail < 0x7f || trail > 0xa0) bytes.push(lead, trail)
    const others = new Set(new TextDecoder(charset).decode(Uint8Array.from(bytes)))
    models.push({
      language,
      latin: false,
      weight: (c) =>
        (known.has(c) ? 0.6 / known.size : 0) +
        (others.has(c) ? 0.35 / others.size : 0) +
        (charset === 'euc-jp' && c >= '\u3041' && c <= '\u30ff' ? 0.002 : 0) +
        foreign(c) / 10
    })
  }
  return models
}

/** Returns the distinct pieces with a byte over 127 between separators, one per line. */
function piecesOf(bytes: Uint8Array): Uint8Array {
  const seen = new Set<string>()
  const out: number[] = []
  let start = 0
  let high = false
  for (let i = 0; i <= bytes.length && seen.size < maxPieces; i++) {
    const b = bytes[i] ?? 10
    if (b > 127) high = true
    if (b >= 0x30 && b !== 0x3b) continue // separators are never the second byte of a character
    if (high) {
      const piece = bytes.subarray(start, i)
      const key = String.fromCharCode(...piece.subarray(0, 200))
      if (!seen.has(key)) {
        seen.add(key)
        for (const byte of piece) out.push(byte)
        out.push(10)
      }
    }
    start = i + 1
    high = false
  }
  return Uint8Array.from(out)
}

const vowels = new Set('aeiouyøæœıAEIOUYØÆŒ')
const isVowel = (c: string): boolean => vowels.has(c.normalize('NFD').charAt(0))

interface Reading {
  /** The oddness of its letters and their places in any language, in nats. */
  odd: number
  /**
   * The penalty, in nats, for symbols (quotes, dashes, currency and so on) that are unlikely in this
   * character set.
   */
  marks: number
  /** Its letters beyond ASCII, in lower case, with their counts. */
  letters: Map<string, number>
  /** The approximate number of bytes of the characters beyond ASCII. */
  count: number
}

interface Place {
  character: string
  code: number
  before: string
  after: string
}

function readText(text: string): Reading {
  const reading: Reading = { odd: 0, marks: 0, letters: new Map(), count: 0 }
  const characters = [...text]
  const letterAt = (index: number): string => {
    const character = characters[index] ?? ''
    return isLetter(character) ? character : ''
  }
  for (const [index, character] of characters.entries()) {
    const code = character.codePointAt(0) ?? 0
    if (code < 128) continue
    reading.count += code > 0x2e80 ? 2 : 1
    const place = { character, code, before: letterAt(index - 1), after: letterAt(index + 1) }
    if (isUnused(code)) reading.odd += 15
    else if ('ªºµ'.includes(character) || !isLetter(character)) readMark(place, reading)
    else readLetter(place, reading)
  }
  return reading
}

function isUnused(code: number): boolean {
  return code < 0xa0 || code === 0xfffd || (code >= 0xe000 && code < 0xf900) || code >= 0x30000
}

function readMark({ character, before, after }: Place, reading: Reading): void {
  const isInside = before !== '' && after !== ''
  if (character === '’') {
    if (isInside && scriptOf(after.codePointAt(0) ?? 0) !== 2) reading.marks += 4
    else reading.odd += 9
  } else if (!isInside) {
    if ('“”„«»–—‘€\u00a0°ªº·\u3000'.includes(character)) reading.marks += 6
    else reading.odd += 10
  } else reading.odd += '“”„«»–—‘°ªº·'.includes(character) ? 10 : 13
}

function readLetter({ character, code, before, after }: Place, reading: Reading): void {
  const script = scriptOf(code)
  const lower = character.toLowerCase()
  const key = character === 'İ' ? character : lower
  reading.letters.set(key, (reading.letters.get(key) ?? 0) + 1)
  for (const next of [before, after])
    if (next !== '' && scriptOf(next.codePointAt(0) ?? 0) !== script) reading.odd += 5
  if (/\p{M}/u.test(character)) {
    reading.odd += script !== 1 || (before !== '' && isVowel(before)) ? 0 : 8
  } else if (lower !== character.toUpperCase()) {
    reading.odd += oddnessOfCase(character, before, after)
    if (script === 1 && isThirdOfItsKind(character, before, after)) reading.odd += 1.5
  }
}

/** Returns the oddness of a letter's case beside its neighbors, in nats. */
function oddnessOfCase(character: string, before: string, after: string): number {
  const isUpper = character !== character.toLowerCase()
  const isUpperAfter = after !== after.toLowerCase()
  let odd = !isUpper && isUpperAfter && character !== 'ß' ? 5 : 0
  if (before === '') odd += isUpper ? 0.2 : 2.5
  else if (isUpper) {
    const isUpperBefore = before !== before.toLowerCase()
    const isLowerAfter = after !== after.toUpperCase()
    odd += isUpperBefore ? (isLowerAfter ? 4 : 0.5) : 6
  }
  return odd
}

function isThirdOfItsKind(character: string, before: string, after: string): boolean {
  if (before === '' || after === '') return false
  const vowel = isVowel(character)
  return vowel === isVowel(before) && vowel === isVowel(after)
}

const answer = (characterSet: ReadableCharacterSet, confidence: number): CharacterSetGuess => ({
  characterSet,
  confidence,
  candidates: [{ characterSet, score: 0 }]
})

function decodes(characterSet: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(characterSet, { fatal: true }).decode(bytes, { stream: true }) // a cut last character is no error
  } catch {
    return undefined
  }
}

export function guessCharacterSet(bytes: Uint8Array): CharacterSetGuess {
  const marked = markedSet(bytes)
  if (marked) return answer(marked, 1)
  const { evenZeros, oddZeros, high, hasEscape } = countBytes(bytes)
  if (evenZeros + oddZeros > bytes.length / 20) return wideGuess(bytes, evenZeros, oddZeros)
  if (high === 0) {
    return hasEscape && decodes('iso-2022-jp', bytes) ? answer('iso-2022-jp', 0.95) : answer('utf-8', 1)
  }
  const isUtf8 = decodes('utf-8', bytes) !== undefined
  if (isUtf8 && high >= 12) return answer('utf-8', 1 - 0.2 ** (high / 2))
  const pieces = piecesOf(bytes)
  const candidates = readableCharacterSets
    .flatMap((characterSet) => candidateOf(characterSet, pieces, isUtf8) ?? [])
    .sort((a, b) => b.score - a.score)
  const [first] = candidates
  if (!first) return answer('windows-1252', 0)
  return {
    characterSet: first.characterSet,
    confidence: confidenceIn(first, candidates) * (first.characterSet === 'utf-8' && !isUtf8 ? 0.5 : 1),
    candidates: candidates.map(({ characterSet, score }) => ({ characterSet, score }))
  }
}

/** The character set that a byte order mark names. */
function markedSet([a, b, c]: Uint8Array): ReadableCharacterSet | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return null
}

function countBytes(bytes: Uint8Array) {
  const counts = { evenZeros: 0, oddZeros: 0, high: 0, hasEscape: false }
  bytes.forEach((byte, index) => {
    if (byte === 0 && index % 2 === 0) counts.evenZeros++
    else if (byte === 0) counts.oddZeros++
    else if (byte > 127) counts.high++
    else if (byte === 27) counts.hasEscape = true
  })
  return counts
}

/** UTF-16 without a byte order mark: in most texts every other byte is zero. */
function wideGuess(bytes: Uint8Array, evenZeros: number, oddZeros: number): CharacterSetGuess {
  const [characterSet, some, few] =
    oddZeros > evenZeros
      ? (['utf-16le', oddZeros, evenZeros] as const)
      : (['utf-16be', evenZeros, oddZeros] as const)
  const isValid = decodes(characterSet, bytes) !== undefined
  return answer(characterSet, isValid ? Math.min(0.99, 1 - few / some) : 0.1)
}

interface Candidate extends Omit<Reading, 'letters'> {
  characterSet: ReadableCharacterSet
  score: number
  text: string
}

/** @returns null if the set is not guessed, or the bytes are not valid in it */
function candidateOf(
  characterSet: ReadableCharacterSet,
  pieces: Uint8Array,
  isUtf8: boolean
): Candidate | null {
  const rare = characterSets[characterSet]
  if (rare === undefined) return null
  const text = multiByteSets.has(characterSet)
    ? decodes(characterSet, pieces)
    : new TextDecoder(characterSet).decode(pieces)
  if (text === undefined) return null
  const { odd, marks, letters, count } = readText(text)
  const likely = characterSet === 'utf-8' && isUtf8 ? 5 : -rare
  const score = bestFit(characterSet, letters) - odd - marks + likely
  return { characterSet, score, text, count, odd, marks }
}

/** Returns the fit of letters to the language that they fit best, in nats. */
function bestFit(characterSet: ReadableCharacterSet, letters: Reading['letters']): number {
  if (letters.size === 0) return 0
  const home = (languagesOf[characterSet] ?? '').split(' ')
  const fits = getModels().map(({ language, latin, weight }) => {
    let sum = latin && !home.includes(language) ? -foreignPenalty : 0
    for (const [letter, times] of letters) sum += times * Math.log(weight(letter))
    return sum
  })
  return Math.max(...fits)
}

/** From 0 to 1: how far the first candidate leads, how well it reads, and how little in it is odd. */
function confidenceIn(first: Candidate, candidates: readonly Candidate[]): number {
  const { score, marks, odd, count } = first
  const second = candidates.find(({ text }) => text !== first.text)
  const lead = second ? score - second.score : 20
  const fit = Math.min(1, Math.max(0, (8 + (score + marks) / Math.max(count, 4)) / 2.5))
  const calm = Math.min(1, Math.max(0, 1.5 - odd / (count + 8)))
  return (1 - Math.exp(-lead / (4 + count / 100))) * fit * calm
}

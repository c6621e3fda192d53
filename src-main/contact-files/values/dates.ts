import {
  type DateOrder,
  isoDay,
  monthDay,
  parseDate,
  parseMonthDay,
  type WallTime
} from '../../base/dates.ts'

/**
 * The orders of day and month in which a text is a date: `any` if the order does not matter, `both` if the
 * two orders give different dates.
 */
export type PossibleOrders = 'any' | 'mdy' | 'dmy' | 'both'

const foreignMonths: readonly (readonly string[])[] = [
  ['jan', 'ene', 'gen', 'janv', 'sty', 'led', 'styczeń', 'ocak', 'янв'],
  ['feb', 'fev', 'fév', 'lut', 'úno', 'şub', 'фев'],
  ['mar', 'mär', 'mae', 'maa', 'mrt', 'mars', 'bře', 'мар'],
  ['apr', 'abr', 'avr', 'kwi', 'dub', 'nis', 'апр'],
  ['may', 'mai', 'mag', 'mei', 'maj', 'kvě', 'мая', 'май'],
  ['jun', 'giu', 'juin', 'cze', 'čvn', 'červen', 'haz', 'июн'],
  ['jul', 'lug', 'juil', 'lip', 'čvc', 'červenec', 'tem', 'июл'],
  ['aug', 'ago', 'aoû', 'aou', 'sie', 'srp', 'ağu', 'авг'],
  ['sep', 'set', 'wrz', 'zář', 'eyl', 'сен'],
  ['oct', 'okt', 'ott', 'out', 'paź', 'říj', 'eki', 'окт'],
  ['nov', 'lis', 'kas', 'ноя'],
  ['dec', 'dez', 'dic', 'dez', 'déc', 'gru', 'pro', 'ara', 'дек']
]
const englishMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const clock = String.raw`(?:(?:[,T]|\s)\s*(?<clock>\d{1,2}:\d{2}.*))?`
/**
 * The forms of dates. Each names its year and day, its month as a number or a name, and possibly a time of
 * day. The first form leaves open which of its numbers is the month.
 */
const forms = [
  new RegExp(String.raw`^(?<one>\d{1,2})(?<mark>[-/])(?<other>\d{1,2})\k<mark>(?<year>\d{4}|\d{2})${clock}$`),
  new RegExp(String.raw`^(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4}|\d{2})${clock}$`),
  new RegExp(String.raw`^(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})${clock}$`),
  /^(?<year>(?:19|20)\d\d)(?<month>0[1-9]|1[0-2])(?<day>0[1-9]|[12]\d|3[01])(?:T?(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?Z?)?$/,
  /^(?<year>\d{4})\s?[年년]\s?(?<month>\d{1,2})\s?[月월]\s?(?<day>\d{1,2})\s?[日일]$/,
  new RegExp(
    String.raw`^(?<day>\d{1,2})(?:\.|st|nd|rd|th)?[\s-]+(?:de\s+)?(?<name>\p{L}{3,10})\.?,?[\s-]+(?:de\s+)?(?<year>\d{4}|\d{2})${clock}$`,
    'u'
  ),
  new RegExp(
    String.raw`^(?<name>\p{L}{3,10})\.?[\s-]+(?<day>\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(?<year>\d{4})${clock}$`,
    'u'
  )
]
/** Words around the time of day: "15.03.2021 um 14:05 Uhr". */
const timeWord = /,?\s+(?:um|at|à)\s+(?=\d{1,2}:)/
const clockWord = /\s*(?:Uhr|uhr)$/

/** A weekday, which adds nothing to the date. */
const weekday = /^\p{L}{2,12}(?:\.?,?\s+(?=\d)|,\s+(?=\p{L}))/u
const longest = 60

/** A date split into year-month-day and the rest. */
interface DateParts {
  year: string
  /** From 1, or the two numbers of a date with unknown order. */
  first: string
  second: string
  isOpen: boolean
  clock: string
}

/** Splits a date into its parts; null if it has none of the forms, or the name of its month is unknown. */
function partsOf(text: string): DateParts | null {
  for (const form of forms) {
    const groups = form.exec(text)?.groups
    if (groups) return partsIn(groups)
  }
  return null
}

function partsIn(groups: Record<string, string | undefined>): DateParts | null {
  const { year = '', one, other, month, name, day } = groups
  const first = one ?? month ?? monthNamed(name ?? '')
  if (first === 0) return null
  return {
    year: fullYear(year),
    first: String(first),
    second: other ?? day ?? '',
    isOpen: one !== undefined,
    clock: clockIn(groups)
  }
}

function clockIn({ clock: time, hour, minute, second }: Record<string, string | undefined>): string {
  return time ?? (hour === undefined ? '' : `${hour}:${minute}:${second ?? '00'}`)
}

const monthLocales = 'en de fr es it nl pt pl cs sk sv da nb fi tr ru uk hu ro hr'.split(' ')
let monthNames: string[] | undefined

function isMonthName(key: string): boolean {
  monthNames ??= monthLocales.flatMap((locale) => {
    const alone = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
    const inDate = new Intl.DateTimeFormat(locale, { month: 'long', day: 'numeric', timeZone: 'UTC' })
    return Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 1)).flatMap((time) => [
      alone.format(time).toLowerCase(),
      ...inDate
        .formatToParts(time)
        .flatMap(({ type, value }) => (type === 'month' ? value.toLowerCase() : []))
    ])
  })
  return foreignMonths.flat().includes(key) || monthNames.some((name) => name.startsWith(key))
}

/** From 1; 0 = no month. */
function monthNamed(name: string): number {
  const key = name.toLowerCase()
  if (!isMonthName(key)) return 0
  const english = englishMonths.findIndex((month) => key.startsWith(month.toLowerCase()))
  if (english !== -1) return english + 1
  let found = 0
  let length = 0
  for (const [index, names] of foreignMonths.entries()) {
    for (const each of names) {
      if (each.length > length && key.startsWith(each)) [found, length] = [index + 1, each.length]
    }
  }
  return found
}

/** Two digits mean a past year: 22 is 2022, and 85 is 1985. */
function fullYear(year: string): string {
  if (year.length === 4) return year
  const century = Number(year) <= new Date().getUTCFullYear() % 100 ? 20 : 19
  return `${century}${year}`
}

function wallOf({ year, clock: time }: DateParts, month: string, day: string): WallTime | null {
  return parseDate(`${year}-${month}-${day}${time === '' ? '' : ` ${time}`}`, 'mdy')
}

/** UNIX seconds or milliseconds of the years 2000 to 2049. */
const unixTime = /^(?:9[4-9]\d{8}|1\d{9}|2[0-4]\d{8})(?:\d{3})?$/
/** A spreadsheet's day number of the years 1930 to 2064. */
const serialDay = /^(?:1[1-9]|[2-5]\d)\d{3}(?:\.\d+)?$/
const serialEpoch = Date.UTC(1899, 11, 30)

/** Parses a number as a time, for columns that otherwise contain dates. */
function numberedDate(text: string): WallTime | null {
  if (unixTime.test(text)) {
    return wallAt(Number(text) * (text.length > 10 ? 1 : 1000))
  }
  return serialDay.test(text) ? wallAt(serialEpoch + Number(text) * 86_400_000) : null
}

function wallAt(ms: number): WallTime {
  const date = new Date(Math.round(ms / 1000) * 1000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    offset: 0
  }
}

/** The forms in which programs write a missing date. */
const noDate = /^0{4}-0{2}-0{2}(?:[ T][0:.]+Z?)?$|^0{1,2}[./]0{1,2}[./]0{2,4}(?:[ T][0:.]+)?$/

export function isNoDate(text: string): boolean {
  return noDate.test(text)
}

/**
 * Returns the orders in which a text is a date; null = no date. Numbers do not count here: see {@link
 * readDate}.
 */
export function possibleOrders(cell: string): PossibleOrders | null {
  const text = plainText(cell)
  if (text === null) return null
  const parts = partsOf(text)
  if (!parts) return parseDate(text, 'mdy') ? 'any' : null
  if (!parts.isOpen) return wallOf(parts, parts.first, parts.second) ? 'any' : null
  const mdy = wallOf(parts, parts.first, parts.second) !== null
  const dmy = wallOf(parts, parts.second, parts.first) !== null
  if (mdy && dmy) return Number(parts.first) === Number(parts.second) ? 'any' : 'both'
  if (mdy) return 'mdy'
  return dmy ? 'dmy' : null
}

/** Removes white space and the weekday; null for a text that is too long for a date or has no digit. */
function plainText(cell: string): string | null {
  if (cell.length > longest || cell.length < 4 || !/\d/.test(cell)) return null
  const text = cell.trim().replace(timeWord, ' ').replace(clockWord, '')
  // The weekday is removed from "Tue 12 April 2022", but "Apr 12 2022" begins in the same way.
  if (!weekday.test(text) || partsOf(text)) return text
  return text.replace(weekday, '')
}

/** @returns null if the text is no date in that order */
export function readDate(cell: string, order: DateOrder): WallTime | null {
  const text = plainText(cell)
  if (text === null) return null
  const parts = partsOf(text)
  if (!parts) return parseDate(text, order) ?? numberedDate(text)
  const [month, day] =
    parts.isOpen && order === 'dmy' ? [parts.second, parts.first] : [parts.first, parts.second]
  return wallOf(parts, month, day) ?? numberedDate(text)
}

const openMonthDay = /^(\d{1,2})[-/](\d{1,2})$/
const dottedMonthDay = /^(\d{1,2})\.\s?(\d{1,2})\.?$/
const markedMonthDay = /^--(\d\d)-?(\d\d)$/
const namedMonthDay = /^(?:(\d{1,2})\.?[\s-](\p{L}{3,10})\.?|(\p{L}{3,10})\.?[\s-](\d{1,2}))$/u

/** Like {@link possibleOrders}, for days without a year. */
export function possibleDayOrders(cell: string): PossibleOrders | null {
  const text = cell.trim()
  const open = openMonthDay.exec(text)
  if (!open) return fixedMonthDay(text) === null ? null : 'any'
  const mdy = parseMonthDay(text, 'mdy') !== null
  const dmy = parseMonthDay(text, 'dmy') !== null
  if (mdy && dmy) return Number(open[1]) === Number(open[2]) ? 'any' : 'both'
  if (mdy) return 'mdy'
  return dmy ? 'dmy' : null
}

/** Returns the day of the year as "MM-DD", from a text with or without a year, or null. */
export function readDayOfYear(cell: string, order: DateOrder): string | null {
  const text = cell.trim()
  const day = openMonthDay.test(text) ? parseMonthDay(text, order) : null
  if (day) return monthDay(day)
  const wall = readDate(text, order)
  return fixedMonthDay(text) ?? (wall && monthDay(wall))
}

/** Returns the day of a text without a year if its order is certain. */
function fixedMonthDay(text: string): string | null {
  const marked = markedMonthDay.exec(text)
  if (marked) return validMonthDay(Number(marked[1]), Number(marked[2]))
  const dots = dottedMonthDay.exec(text)
  if (dots) return validMonthDay(Number(dots[2]), Number(dots[1]))
  const named = namedMonthDay.exec(text)
  if (!named) return null
  return validMonthDay(monthNamed(named[2] ?? named[3] ?? ''), Number(named[1] ?? named[4]))
}

/** In a leap year. */
function validMonthDay(month: number, day: number): string | null {
  const wall = parseDate(`2000-${month}-${day}`, 'mdy')
  return wall && monthDay(wall)
}

/** Formats a wall time as any import reads it: YYYY-MM-DD, with the time of day if it has one. */
export function writeDate(wall: WallTime): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  const { hour, minute, second, offset } = wall
  if (hour === 0 && minute === 0 && second === 0 && offset === null) return isoDay(wall)
  const zone =
    offset === null
      ? ''
      : `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
  return `${isoDay(wall)} ${two(hour)}:${two(minute)}:${two(second)}${zone}`
}

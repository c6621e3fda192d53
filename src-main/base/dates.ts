import { type Complaint, complaint } from './refusal.ts'
import { instantOf, wallClock } from './times.ts'

/** The reading of 01/02/2014: mdy January 2, dmy February 1. */
export type DateOrder = 'mdy' | 'dmy'

/** A date and time on a wall clock; `offset` is set when the text named its distance from UTC, in minutes. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  offset: number | null
}

const months = 'january february march april may june july august september october november december'.split(
  ' '
)
const time = String.raw`(?:[ T]+(?<hour>\d{1,2}):(?<minute>\d{1,2})(?::(?<second>\d\d)(?:[.,]\d+)?)?\s*(?<half>[ap]m)?)?`
/**
 * The zones that PHP's `date('T')` names, in hours ahead of UTC. Where two share an abbreviation, it is the one that RFC
 * 5322 names, or the one with more people.
 */
const namedZones: Record<string, number> = {
  ...{ Z: 0, UT: 0, UTC: 0, GMT: 0, WET: 0, WEST: 1, BST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3 },
  ...{ NST: -3.5, NDT: -2.5, AST: -4, ADT: -3, EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6 },
  ...{ PST: -8, PDT: -7, AKST: -9, AKDT: -8, HST: -10, HDT: -9, SST: -11, CHST: 10 },
  ...{ WAT: 1, CAT: 2, SAST: 2, EAT: 3, IDT: 3, PKT: 5, IST: 5.5, WIB: 7, WITA: 8, WIT: 9 },
  ...{ SGT: 8, HKT: 8, JST: 9, KST: 9 },
  ...{ AWST: 8, ACST: 9.5, ACDT: 10.5, AEST: 10, AEDT: 11, NZST: 12, NZDT: 13 }
}
const zone = String.raw`\s*(?<zone>${Object.keys(namedZones).join('|')}|[+-]\d\d(?::?\d\d)?)?`

/** The patterns of the docs/api.md, "Subscriber imports"; numeric dates with separators are tried last. */
const patterns = [
  new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})${time}${zone}$`, 'i'),
  new RegExp(String.raw`^(?<name>[a-z]{3,9})\.? (?<day>\d{1,2}),? (?<year>\d{4})${time}${zone}$`, 'i'),
  new RegExp(String.raw`^(?<day>\d{1,2}) (?<name>[a-z]{3,9})\.?,? (?<year>\d{4})${time}${zone}$`, 'i'),
  new RegExp(String.raw`^(?<a>\d{1,2})[-/](?<b>\d{1,2})[-/](?<year>\d{4})${time}${zone}$`, 'i')
]

/** Characters of the longest date with a time and a zone, and room to spare: a longer text would take the patterns long. */
const maxLength = 100

/** One date in three notations, for refusals of invalid dates. */
export function dateExamples(order: DateOrder): Record<'first' | 'second' | 'third', string> {
  const second = order === 'mdy' ? '01/31/2014' : '31/01/2014'
  return { first: '2014-01-31', second, third: 'January 31, 2014' }
}

/** Reads a date, with or without a time; null if it matches none of the patterns. */
export function parseDate(text: string, order: DateOrder): WallTime | null {
  const plain = plainDate(text)
  if (plain) return plain
  const trimmed = text.trim()
  if (trimmed.length > maxLength) return null
  for (const pattern of patterns) {
    const groups = pattern.exec(trimmed)?.groups
    if (groups) return wallTime(groups, order)
  }
  return null
}

/** YYYY-MM-DD, by far the most common, without a regular expression. */
function plainDate(text: string): WallTime | null {
  if (text.length !== 10 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return null
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 7)
  const day = digits(text, 8, 10)
  if (!isDay(year, month, day)) return null
  return { year, month, day, hour: 0, minute: 0, second: 0, offset: null }
}

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let index = from; index < to; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function wallTime(groups: Record<string, string | undefined>, order: DateOrder): WallTime | null {
  const year = Number(groups['year'])
  const [month, day] = monthAndDay(groups, order)
  let hour = Number(groups['hour'] ?? 0)
  const minute = Number(groups['minute'] ?? 0)
  const second = Number(groups['second'] ?? 0)
  if (groups['half']) {
    if (hour < 1 || hour > 12) return null
    hour = (hour % 12) + (groups['half'].toLowerCase() === 'pm' ? 12 : 0)
  }
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return null
  return { year, month, day, hour, minute, second, offset: offsetOf(groups['zone']) }
}

function monthAndDay(groups: Record<string, string | undefined>, order: DateOrder): [number, number] {
  if (groups['name']) return [monthNamed(groups['name'].toLowerCase()), Number(groups['day'])]
  if (groups['a']) {
    const numbers: [number, number] = [Number(groups['a']), Number(groups['b'])]
    return order === 'mdy' ? numbers : [numbers[1], numbers[0]]
  }
  return [Number(groups['month']), Number(groups['day'])]
}

/** By name or its first letters; 0 = none. */
function monthNamed(name: string): number {
  return months.findIndex((month) => month.startsWith(name)) + 1
}

function offsetOf(zoneText: string | undefined): number | null {
  if (!zoneText) return null
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zoneText)
  if (!match) return (namedZones[zoneText.toUpperCase()] ?? 0) * 60
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  return match[1] === '-' ? -minutes : minutes
}

const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDay(year: number, month: number, day: number): boolean {
  const length = monthLengths[month - 1]
  if (length === undefined || !(year >= 1 && year <= 9999) || !(day >= 1 && day <= length)) return false
  if (month !== 2 || day < 29) return true
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** The instant of a wall time, in UNIX milliseconds; without an offset of its own it is in `timeZone`. */
export function instantOfWallTime(wall: WallTime, timeZone: string): number {
  if (wall.offset === null) return instantOf(wall, timeZone)
  return instantOf(wall, 'UTC') - wall.offset * 60_000
}

/** The years that times may be in; dates without a time may be in any from 1 to 9999. */
const [firstYear, lastYear] = [1970, 9999]

/** True if an instant (UNIX milliseconds) is in a supported year. */
export function isTime(ms: number): boolean {
  return ms >= Date.UTC(firstYear, 0, 1) && ms < Date.UTC(lastYear + 1, 0, 1)
}

/** UNIX seconds beyond this are taken for milliseconds or microseconds: as seconds they are after the year 5100. */
const maxSeconds = 10 ** 11

/**
 * A time of a request: UNIX seconds as a number or digits, or a date that {@link wallTimeOf} reads.
 * @returns UNIX milliseconds, or null if it is neither of these, or is out of range; see {@link timeComplaint}
 */
export function parseTimeInput(input: string | number, timeZone: string): number | null {
  const seconds = secondsOf(input)
  if (seconds !== null) return isTime(seconds * 1000) && seconds <= maxSeconds ? seconds * 1000 : null
  const wall = wallTimeOf(String(input))
  return wall && timeOfWall(wall, timeZone)
}

const weekday = /^\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,\s*/i
/** A comment after the date as RFC 2822 allows, such as (UTC). */
const comment = /\s*\([^()]*\)\s*$/
const basicForm = /^\s*(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d(?::?\d\d)?)?\s*$/i

/** Reads a date of a request: in one of the patterns, as RFC 2822 writes it, or in the basic form of ISO 8601. */
function wallTimeOf(text: string): WallTime | null {
  if (text.length > maxLength) return null
  const [, year, month, day, hour, minute, second = '00', zoneText = ''] = basicForm.exec(text) ?? []
  return parseDate(
    year === undefined
      ? text.replace(weekday, '').replace(comment, '')
      : `${year}-${month}-${day}T${hour}:${minute}:${second}${zoneText}`,
    'mdy'
  )
}

/** The instant of a wall time, in UNIX milliseconds; null when it is in no year that times may be in. */
export function timeOfWall(wall: WallTime, timeZone: string): number | null {
  // Date.UTC() treats the years 0 to 99 as 1900 to 1999.
  if (wall.year < 100) return null
  const ms = instantOfWallTime(wall, timeZone)
  return isTime(ms) ? ms : null
}

/** Returns the complaint about a time that {@link parseTimeInput} cannot read. */
export function timeComplaint(input: string | number): Complaint {
  const seconds = secondsOf(input)
  if (seconds !== null && Math.abs(seconds) > maxSeconds) {
    return complaint('time_in_milliseconds')
  }
  if (seconds !== null || wallTimeOf(String(input))) {
    return complaint('in_years', { first: firstYear, last: lastYear })
  }
  return complaint('time')
}

function secondsOf(input: string | number): number | null {
  if (typeof input === 'number') return input
  return /^-?\d+$/.test(input.trim()) ? Number(input) : null
}

/** YYYY-MM-DD. */
export function isoDay(wall: Pick<WallTime, 'year' | 'month' | 'day'>): string {
  return `${String(wall.year).padStart(4, '0')}-${two(wall.month)}-${two(wall.day)}`
}

/** The day that a calendar in the zone shows at an instant (UNIX milliseconds), as YYYY-MM-DD. */
export function dayIn(ms: number, timeZone: string): string {
  return isoDay(wallClock(ms, timeZone))
}

/** The day so many days after another one, or before it where they are negative; both as YYYY-MM-DD. */
export function shiftedDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** MM-DD. */
export function monthDay(wall: Pick<WallTime, 'month' | 'day'>): string {
  return `${two(wall.month)}-${two(wall.day)}`
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

/** Reads MM-DD or MM/DD (DD-MM with dmy); null when it is no day of a year. */
export function parseMonthDay(text: string, order: DateOrder): { month: number; day: number } | null {
  const match = /^\s*(\d{1,2})[-/](\d{1,2})\s*$/.exec(text)
  if (!match) return null
  const [first, second] = [Number(match[1]), Number(match[2])]
  const [month, day] = order === 'mdy' ? [first, second] : [second, first]
  // 2000 is a leap year: February 29 is a day of the year.
  return isDay(2000, month, day) ? { month, day } : null
}

import { isEmail } from '../../api/subscribers/rules.ts'
import { readAddresses, type AddressChange } from '../values/addresses.ts'
import { isNoDate, possibleDayOrders, possibleOrders, readDate } from '../values/dates.ts'
import { survivesAsNumber } from '../values/numbers.ts'
import {
  hasLostDigits,
  hasTextMark,
  isBlankWord,
  type TidyChange,
  tidyChange,
  tidyCell
} from '../values/tidy.ts'
import { readTruth } from '../values/truth.ts'
import type { Examples } from './schema.ts'

/** The types that are proposed for new fields. */
export const guessedTypes = ['number', 'boolean', 'date', 'day_of_year'] as const
export type GuessedType = (typeof guessedTypes)[number]

/**
 * Rows that are checked completely; in later rows a column is only checked for the types that are still
 * possible.
 */
export const fullyCheckedRows = 20_000
/**
 * Limits of counted distinct values; a column with more has no words. A status column may have many, with a
 * day each.
 */
const maxDistinct = { usual: 200, ofStatus: 5000 }
const maxWordLength = 100
const maxExamples = 5
const maxSamples = 3
const maxRemembered = 20_000
/**
 * A day of the year that cannot be a number or a range: with two digits each, a trailing period, or a month
 * name.
 */
const certainDay = /^(?:--.*|\d\d[-/.]\d\d\.?|\d{1,2}\.\s?\d{1,2}\.|.*\p{L}.*)$/u

/** If a larger share of the values does not fit a type, the column does not have that type. */
const maxUnfitShare = 0.1

export class ColumnStatistics {
  rows = 0
  filled = 0
  addresses = 0
  addressChanges: Partial<Record<AddressChange, Examples>> = {}
  tidied: Partial<Record<TidyChange, Examples>> = {}
  marked = newExamples()
  lostDigits = newExamples()
  blankWords = newExamples()
  /** True if a cell has several lines or more than 255 characters. */
  isLong = false
  samples: string[] = []
  /** Value -> count; null once there are too many. */
  distinct: Map<string, number> | null = new Map()
  unfit: Record<GuessedType, Examples> = {
    number: newExamples(),
    boolean: newExamples(),
    date: newExamples(),
    day_of_year: newExamples()
  }
  /** Dates and days of a year by the orders in which they are valid. */
  orders = { any: 0, mdy: 0, dmy: 0, both: 0 }
  /** Days without a year. */
  days = 0
  /** Unmistakable days, such as 24.12. and --12-24; 4.5 may be a number, and 6-10 a range. */
  certainDays = 0
  ambiguous = newExamples()
  noDates = newExamples()
  /** Numbers that may be times: dates only if the column has others. */
  numbered = 0
  readonly #maxDistinct: number
  readonly #alive = new Set<GuessedType>(guessedTypes)
  readonly #remembered = new Map<string, ReturnType<typeof possibleOrders>>()

  constructor(saysStatus: boolean) {
    this.#maxDistinct = saysStatus ? maxDistinct.ofStatus : maxDistinct.usual
  }

  /** @param removesMarks true if an apostrophe before a number is a spreadsheet's mark */
  add(raw: string, removesMarks: boolean): void {
    this.rows++
    if (raw === '') return
    const isFullyChecked = this.rows <= fullyCheckedRows
    if (isFullyChecked) this.#lookAt(raw)
    let cell = tidyCell(raw)
    if (removesMarks && hasTextMark(cell)) cell = cell.slice(1)
    cell = cell.trim()
    if (cell === '') return
    this.filled++
    if (this.samples.length < maxSamples && !this.samples.includes(cell))
      this.samples.push(cell.slice(0, 200))
    this.#count(cell)
    if (isFullyChecked) {
      if (cell.includes('@')) this.#lookForAddress(cell)
      if (!this.isLong) this.isLong = cell.length > 255 || cell.includes('\n')
    }
    if (this.#alive.size > 0) this.#checkTypes(cell)
  }

  #lookAt(raw: string): void {
    const change = tidyChange(raw)
    if (change) note((this.tidied[change] ??= newExamples()), raw)
    const cell = raw.trim()
    if (hasTextMark(cell)) note(this.marked, cell)
    else if (hasLostDigits(cell)) note(this.lostDigits, cell)
    else if (isBlankWord(cell)) note(this.blankWords, cell)
  }

  #count(whole: string): void {
    if (!this.distinct) return
    const cell = whole.slice(0, maxWordLength)
    const known = this.distinct.get(cell)
    if (known !== undefined) this.distinct.set(cell, known + 1)
    else if (this.distinct.size >= this.#maxDistinct) this.distinct = null
    else this.distinct.set(cell, 1)
  }

  #lookForAddress(cell: string): void {
    const { addresses, change } = readAddresses(cell)
    if (!addresses.some(isEmail)) return
    this.addresses++
    if (change) note((this.addressChanges[change] ??= newExamples()), cell)
  }

  #checkTypes(cell: string): void {
    if (this.#alive.has('number') && !survivesAsNumber(cell)) this.#misfit('number', cell)
    if (this.#alive.has('boolean') && readTruth(cell) === null) this.#misfit('boolean', cell)
    if (this.#alive.has('date') || this.#alive.has('day_of_year')) this.#checkDate(cell)
    if (this.rows % 1024 === 0) this.#giveUp()
  }

  #misfit(type: GuessedType, cell: string): void {
    note(this.unfit[type], cell)
  }

  #checkDate(cell: string): void {
    if (isNoDate(cell)) return note(this.noDates, cell)
    const day = this.#dayOrdersOf(cell)
    if (day) {
      this.days++
      if (certainDay.test(cell)) this.certainDays++
      this.#misfit('date', cell)
      return this.#countOrder(day, cell)
    }
    const orders = this.#ordersOf(cell)
    if (orders) return this.#countOrder(orders, cell)
    if (readDate(cell, 'mdy')) {
      this.numbered++
      return
    }
    this.#misfit('date', cell)
    this.#misfit('day_of_year', cell)
  }

  /** A day without a year has at most six characters, or a month name. */
  #dayOrdersOf(cell: string): ReturnType<typeof possibleOrders> {
    return cell.length <= 14 ? possibleDayOrders(cell) : null
  }

  #ordersOf(cell: string): ReturnType<typeof possibleOrders> {
    const known = this.#remembered.get(cell)
    if (known !== undefined) return known
    const orders = possibleOrders(cell)
    if (this.#remembered.size < maxRemembered) this.#remembered.set(cell, orders)
    return orders
  }

  #countOrder(orders: 'any' | 'mdy' | 'dmy' | 'both', cell: string): void {
    this.orders[orders]++
    if (orders === 'both') note(this.ambiguous, cell)
  }

  #giveUp(): void {
    for (const type of this.#alive) {
      if (this.unfit[type].count > this.filled * maxUnfitShare * 2) this.#alive.delete(type)
    }
  }

  isNearly(type: GuessedType): boolean {
    if (this.filled === 0 || !this.#alive.has(type)) return false
    const words = this.blankWords.count
    const { count } = this.unfit[type]
    return count <= Math.max(this.filled * maxUnfitShare, Math.min(words, this.filled * 0.5))
  }

  get dates(): number {
    const { any, mdy, dmy, both } = this.orders
    return any + mdy + dmy + both
  }
}

function newExamples(): Examples {
  return { count: 0, values: [] }
}

function note(examples: Examples, value: string): void {
  examples.count++
  if (examples.values.length < maxExamples && !examples.values.includes(value)) {
    examples.values.push(value.slice(0, 100))
  }
}

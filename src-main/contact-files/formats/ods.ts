import { refusal } from '../../base/refusal.ts'
import { ImportFailure } from '../../csv/failure.ts'
import type { RowListener } from './open.ts'
import { readXmlPart } from './xml.ts'

// Reads OpenDocument spreadsheets (ISO/IEC 26300) as a stream.

const content = 'content.xml'
/** More repeated cells are the blank rest of a row. */
const maxRepeatedCells = 1000
/** More repeated rows are the blank rest of a sheet. */
const maxRepeatedRows = 100_000

/** @throws ImportFailure for a damaged document */
export async function odsSheets(path: string): Promise<string[]> {
  const sheets: string[] = []
  await readXmlPart(path, content, {
    open: (name, attribute) => {
      if (name === 'table') sheets.push(attribute('table:name') ?? '')
    }
  })
  if (sheets.length === 0) throw new ImportFailure(refusal('spreadsheet_without_sheet'))
  return sheets
}

/**
 * Reads the rows of a sheet as text: dates as YYYY-MM-DD, numbers as stored or with leading zeros.
 * @returns true if all rows were read
 * @throws ImportFailure for a damaged document
 */
export async function readOds(path: string, sheet: string, listener: RowListener): Promise<boolean> {
  let goesOn = true
  const reader = new TableReader(sheet, (cells, line) => {
    goesOn &&= listener(cells, line)
    return goesOn
  })
  return readXmlPart(path, content, reader, () => goesOn && !reader.isDone).then(
    (complete) => complete || (goesOn && reader.isDone)
  )
}

/** Returns the white space that an element of a paragraph stands for; '' for other elements. */
function spaceOf(element: string, attribute: (name: string) => string | undefined): string {
  switch (element) {
    case 's':
      return ' '.repeat(Math.min(Number(attribute('text:c') ?? 1), 1000))
    case 'tab':
      return '\t'
    case 'line-break':
      return '\n'
    default:
      return ''
  }
}

class TableReader {
  readonly #sheet: string
  readonly #listener: (cells: string[], line: number) => boolean
  isDone = false
  #isSheet = false
  #depth = 0
  #line = 1
  #rowRepeats = 1
  #cells: string[] = []
  #cellRepeats = 1
  #value: string | null = null
  #type = ''
  #text = ''
  #paragraphs = 0
  #isText = false
  #annotation = 0

  constructor(sheet: string, listener: (cells: string[], line: number) => boolean) {
    this.#sheet = sheet
    this.#listener = listener
  }

  readonly open = (name: string, attribute: (name: string) => string | undefined): void => {
    if (name === 'table') {
      // A cell of a sheet may contain another sheet.
      if (this.#isSheet) this.#depth++
      else this.#isSheet = !this.isDone && attribute('table:name') === this.#sheet
      return
    }
    if (!this.#isSheet || this.#depth > 0) return
    switch (name) {
      case 'table-row':
        this.#rowRepeats = Number(attribute('table:number-rows-repeated') ?? 1)
        this.#cells = []
        break
      case 'table-cell':
      case 'covered-table-cell':
        this.#openCell(attribute)
        break
      case 'annotation':
        this.#annotation++
        break
      case 'p':
        this.#openParagraph()
        break
      default:
        if (this.#isText) this.#text += spaceOf(name, attribute)
    }
  }

  #openCell(attribute: (name: string) => string | undefined): void {
    this.#cellRepeats = Number(attribute('table:number-columns-repeated') ?? 1)
    this.#type = attribute('office:value-type') ?? ''
    this.#value =
      attribute('office:date-value') ?? attribute('office:boolean-value') ?? attribute('office:value') ?? null
    this.#text = ''
    this.#paragraphs = 0
  }

  #openParagraph(): void {
    if (this.#annotation > 0) return
    if (this.#paragraphs++ > 0) this.#text += '\n'
    this.#isText = true
  }

  readonly text = (piece: string): void => {
    if (this.#isText && this.#annotation === 0) this.#text += piece
  }

  readonly close = (name: string): void => {
    if (name === 'table' && this.#isSheet) {
      if (this.#depth > 0) this.#depth--
      else {
        this.#isSheet = false
        this.isDone = true
      }
      return
    }
    if (!this.#isSheet || this.#depth > 0) return
    if (name === 'p') this.#isText = false
    else if (name === 'annotation') this.#annotation--
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#addCell()
    else if (name === 'table-row') this.#addRow()
  }

  #addCell(): void {
    const text = this.#cellText()
    if (text === '' && this.#cellRepeats > maxRepeatedCells) return
    for (let index = 0; index < Math.min(this.#cellRepeats, maxRepeatedCells); index++) this.#cells.push(text)
  }

  #cellText(): string {
    const value = this.#value
    if (value === null) return this.#text
    if (this.#type === 'date') return value.slice(0, 19).replace('T', ' ')
    if (this.#type === 'boolean') return value
    // A number is displayed with leading zeros, such as 01067, if its format says so.
    if (/^0\d+$/.test(this.#text) && Number(this.#text) === Number(value)) return this.#text
    const number = Number(value)
    return Number.isFinite(number) && !/^-?\d+$/.test(value) ? String(number) : value
  }

  #addRow(): void {
    while (this.#cells.at(-1) === '') this.#cells.pop()
    const repeats = this.#rowRepeats
    if (this.#cells.length > 0) {
      for (let index = 0; index < Math.min(repeats, maxRepeatedRows); index++)
        if (!this.#listener([...this.#cells], this.#line + index)) return
    }
    this.#line += repeats
  }
}

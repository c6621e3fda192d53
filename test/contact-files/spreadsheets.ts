import { zipOf } from '../support/zip.ts'

/** A cell: a text, a number, yes or no, a day as the number that a spreadsheet has for it, or a number shown with five digits. */
export type SheetCell = string | number | boolean | { date: number } | { zeros: number }
type Sheets = Record<string, readonly (readonly SheetCell[])[]>

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A workbook with these sheets, its texts in the table that they share. */
export function xlsxOf(sheets: Sheets): Buffer {
  const strings: string[] = []
  const cell = (value: SheetCell, reference: string): string => {
    if (typeof value === 'string') return `<c r="${reference}" t="s"><v>${strings.push(value) - 1}</v></c>`
    if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`
    if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
    return 'date' in value
      ? `<c r="${reference}" s="1"><v>${value.date}</v></c>`
      : `<c r="${reference}" s="2"><v>${value.zeros}</v></c>`
  }
  const names = Object.keys(sheets)
  const parts = Object.fromEntries(
    Object.values(sheets).map((rows, index) => [
      `xl/worksheets/sheet${index + 1}.xml`,
      `<worksheet><sheetData>${rows
        .map((row, line) =>
          row.length === 0
            ? ''
            : `<row r="${line + 1}">${row
                .map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${line + 1}`))
                .join('')}</row>`
        )
        .join('')}</sheetData></worksheet>`
    ])
  )
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${names
      .map((name, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="r${index}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names
      .map((_, index) => relation(`r${index}`, 'worksheet', `worksheets/sheet${index + 1}.xml`))
      .join(
        ''
      )}${relation('s', 'sharedStrings', 'sharedStrings.xml')}${relation('t', 'styles', '/xl/styles.xml')}</Relationships>`,
    ...parts,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>'
  })
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`
}

/** An OpenDocument spreadsheet with these sheets. */
export function odsOf(sheets: Sheets): Buffer {
  const cell = (value: SheetCell): string => {
    if (typeof value === 'string') {
      return `<table:table-cell office:value-type="string">${value
        .split('\n')
        .map((line) => `<text:p>${escaped(line)}</text:p>`)
        .join('')}</table:table-cell>`
    }
    if (typeof value === 'number') {
      return `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`
    }
    if (typeof value === 'boolean') {
      return `<table:table-cell office:value-type="boolean" office:boolean-value="${value}"><text:p>${value}</text:p></table:table-cell>`
    }
    if ('zeros' in value) {
      return `<table:table-cell office:value-type="float" office:value="${value.zeros}"><text:p>${String(value.zeros).padStart(5, '0')}</text:p></table:table-cell>`
    }
    const iso = new Date(Date.UTC(1899, 11, 30) + value.date * 86_400_000).toISOString()
    return `<table:table-cell office:value-type="date" office:date-value="${Number.isInteger(value.date) ? iso.slice(0, 10) : iso.slice(0, 19)}"><text:p>shown</text:p></table:table-cell>`
  }
  const tables = Object.entries(sheets).map(
    ([name, rows]) =>
      `<table:table table:name="${escaped(name)}">${rows
        .map(
          (row) =>
            `<table:table-row>${row.map(cell).join('')}<table:table-cell table:number-columns-repeated="1000"/></table:table-row>`
        )
        .join(
          ''
        )}<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`
  )
  return zipOf({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet>${tables.join('')}</office:spreadsheet></office:body></office:document-content>`
  })
}

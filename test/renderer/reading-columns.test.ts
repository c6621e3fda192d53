import { describe, expect, it } from 'vitest'
import type { FileAnalysis, Reading } from '../../src-renderer/api/contact-files.ts'
import { keptReading } from '../../src-renderer/model/reading-columns.ts'
import { plainReading } from '../support/contact-files.ts'

const corrected_rows = [{ line: 2, cells: ['a@example.com', 'Wien'] }]

function analysisWith(reading: Reading): FileAnalysis {
  const columns = reading.columns.map(({ header }) => ({
    header,
    samples: [],
    filled: 1,
    words: null,
    unfit: { number: null, boolean: null, date: null, day_of_year: null },
    orders: { mdy: 0, dmy: 0, both: 0 },
    ambiguous: [],
    remembered: false
  }))
  return {
    kind: 'csv',
    bytes: 10,
    rows_read: 1,
    is_complete: true,
    entries: [],
    sheets: [],
    service: null,
    character_sets: [],
    reading,
    columns,
    rows: [],
    findings: []
  }
}

describe('the reading of a file that is analyzed anew', () => {
  const before = plainReading(['email', 'Town'])

  it('has the corrected rows while the rows are the same', () => {
    const after = analysisWith({ ...before, removes_text_marks: true })

    const kept = keptReading(
      { analysis: analysisWith(before), reading: { ...before, corrected_rows } },
      after
    )

    expect(kept.corrected_rows).toEqual(corrected_rows)
  })

  it('has no corrected rows if a new separator changes the cells', () => {
    const after = analysisWith({ ...before, file: { ...before.file, csv_field_separator: ';' } })

    const kept = keptReading(
      { analysis: analysisWith(before), reading: { ...before, corrected_rows } },
      after
    )

    expect(kept.corrected_rows).toEqual([])
  })

  it('keeps the column targets that the user changed', () => {
    const [email, town] = before.columns
    if (!email || !town) throw new Error('two columns')
    const changed = { ...before, columns: [email, { ...town, target: 'City' }] }

    const kept = keptReading({ analysis: analysisWith(before), reading: changed }, analysisWith(before))

    expect(kept.columns.map(({ target }) => target)).toEqual(['email', 'City'])
  })
})

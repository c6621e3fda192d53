import { expect, it } from 'vitest'
import { refusal } from '../../src-main/base/refusal.ts'
import { recipientPlacesOf } from '../../src-renderer/model/query-columns.ts'

it('only rows that are recipients are previewed', () => {
  const faults = [refusal('row_without_email', { row: 1 }), refusal('row_nul', { row: 3, column: 'name' })]
  const rows = [[''], ['anna@example.org'], ['ben@example.org'], ['carl@example.org']]

  expect(recipientPlacesOf({ rows, faults })).toEqual([1, 3])
})

import { expect, it } from 'vitest'
import {
  type FieldDefinition,
  meaningfulValues,
  type StoredValue
} from '../../src-main/api/custom-fields/rules.ts'

function field(type: FieldDefinition['type']): FieldDefinition {
  return {
    id: 7,
    organizationId: 1,
    mailingListId: null,
    name: 'F',
    type,
    required: false,
    instructions: null,
    attributes: {},
    options: [{ id: 3, name: 'A', position: 0 }]
  }
}

it.each<[FieldDefinition['type'], StoredValue, StoredValue | undefined]>([
  ['text', 'x', 'x'],
  ['text', 1, undefined],
  ['text_multiline', true, undefined],
  ['number', 1, 1],
  ['number', '1', undefined],
  ['boolean', false, false],
  ['boolean', 'false', undefined],
  ['date', '2014-01-31', '2014-01-31'],
  ['date', '01-31', undefined],
  ['date', 20140131, undefined],
  ['day_of_year', '01-31', '01-31'],
  ['day_of_year', '2014-01-31', undefined],
  ['day_of_year', 131, undefined],
  ['select_single_dropdown', 3, 3],
  ['select_single_radio', 4, undefined],
  ['select_multiple_checkboxes', [4, 3], [3]],
  ['select_multiple_checkboxes', [4], undefined],
  ['select_multiple_checkboxes', 3, undefined]
])('a field that is a %s now makes of the stored value %j %j', (type, stored, value) => {
  const kept = meaningfulValues([field(type)], { 7: stored, 8: 'of another field' })
  expect(kept).toEqual({ 8: 'of another field', ...(value !== undefined && { 7: value }) })
})

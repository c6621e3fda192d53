import { ApiError, type Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type SegmentCondition, type SegmentOperator, segmentOperators } from './schema.ts'

/**
 * Reads the clause of a request of the v2 API: an array of conditions that all must hold.
 * @param field what the client calls the clause
 * @throws ApiError invalid_request for a condition of another type than in_mailing_list (docs/api.md, "Segments")
 */
export function readClause(given: readonly object[], field: string, faults: Faults): SegmentCondition[] {
  return given.map((each, index) => {
    const condition = each as Record<string, unknown>
    const name = `${field}.${index}`
    if (condition['type'] !== 'in_mailing_list') {
      throw new ApiError('invalid_request', refusal('only_list_conditions', { field: `${name}.type` }))
    }
    return readListCondition(condition, name, faults)
  })
}

/** @param name of the condition in the request */
export function readListCondition(
  { operator, mailing_list_id: id }: Record<string, unknown>,
  name: string,
  faults: Faults
): SegmentCondition {
  const known = operatorNamed(operator)
  if (!known) faults.add(refusal('one_of', { field: `${name}.operator`, values: segmentOperators }))
  const listId = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id
  if (!Number.isSafeInteger(listId)) {
    faults.add(refusal('id_of', { field: `${name}.mailing_list_id`, what: 'a mailing list' }))
  }
  return { type: 'in_mailing_list', operator: known ?? 'is in', mailing_list_id: Number(listId) }
}

function operatorNamed(text: unknown): SegmentOperator | undefined {
  if (typeof text !== 'string') return undefined
  const name = text.trim().toLowerCase().replaceAll('_', ' ')
  return segmentOperators.find((operator) => operator === name)
}

import { ApiError } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'

/** A record that cannot do without another one. */
export interface Dependency {
  type: 'mailing_list' | 'autoresponder' | 'campaign' | 'template' | 'segment'
  id: number
  name: string
}

/**
 * Refuses to delete what others need.
 * @param rule says how they need it
 * @throws ApiError validation_failed with data.dependencies (docs/api.md, "Custom fields") when there are any
 */
export function refuseWhileNeeded(
  rule: 'used_by' | 'triggers' | 'asked_for_by',
  name: string,
  dependencies: Dependency[]
): void {
  if (dependencies.length === 0) return
  const others = dependencies.map(({ type, id, name: its }) => ({
    kind: type.replace('_', ' '),
    id,
    name: its
  }))
  throw new ApiError('validation_failed', refusal(rule, { name, others }), {
    dependencies: dependencies.map(({ type, id }) => ({ type, id }))
  })
}

import { ApiError } from '../base/errors.ts'

/** A record that cannot do without another one. */
export interface Dependency {
  type: 'mailing_list' | 'autoresponder' | 'campaign' | 'template' | 'segment'
  id: number
  name: string
}

/**
 * Refuses to delete what others need.
 * @param use how they need it, such as "is used by"
 * @throws ApiError validation_failed with data.dependencies (docs/api.md, "Custom fields") when there are any
 */
export function refuseWhileNeeded(name: string, use: string, dependencies: Dependency[]): void {
  if (dependencies.length === 0) return
  const others = dependencies.map((each) => `${each.type.replace('_', ' ')} ${each.id} (${each.name})`)
  throw new ApiError('validation_failed', `${name} cannot be deleted: it ${use} ${others.join(', ')}`, {
    dependencies: dependencies.map(({ type, id }) => ({ type, id }))
  })
}

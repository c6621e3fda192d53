import { type Condition, leavesOf } from '../../api/segments/conditions.ts'
import type { Caller } from '../../http/caller.ts'
import { requireAccess } from '../../http/permissions.ts'

/**
 * Checks the permission for what conditions reveal about subscribers: their data, or what they did with
 * campaigns. Membership of lists is visible to everyone who may see segments.
 * @throws ApiError not_authorized
 */
export function requirePermissionsFor(caller: Caller, clause: readonly Condition[]): void {
  for (const { type } of leavesOf(clause)) {
    if (type === 'campaign' || type === 'reaction') requireAccess(caller, 'campaign.read_stats')
    else if (type !== 'in_mailing_list') requireAccess(caller, 'subscriber.read')
  }
}

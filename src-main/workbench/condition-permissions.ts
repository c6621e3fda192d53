import { type Condition, leavesOf } from '../api/segments/conditions.ts'
import type { Caller } from '../http/caller.ts'
import { requireAccess } from '../http/permissions.ts'

/**
 * Who finds or counts people by conditions learns what these ask for: what is known of subscribers, or what they did with campaigns.
 * Who is on which list is told to everybody who may see segments.
 * @throws ApiError not_authorized
 */
export function requirePermissionsFor(caller: Caller, clause: readonly Condition[]): void {
  for (const { type } of leavesOf(clause)) {
    if (type === 'campaign' || type === 'reaction') requireAccess(caller, 'campaign.read_stats')
    else if (type !== 'in_mailing_list') requireAccess(caller, 'subscriber.read')
  }
}

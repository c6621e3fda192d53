import { computed, type ComputedRef, type Ref } from 'vue'
import { countClause, fetchSegmentCounts } from '../api/segments.ts'
import { ownConditions } from '../model/campaign-draft.ts'
import { useLiveEvents } from '../stores/live-events.ts'
import { type Loaded, useLoaded } from '../stores/useLoaded.ts'

/** The number of recipients that a campaign would have, kept up to date. */
export interface RecipientCount {
  /** null where that is not known: a program chose, or a remote database holds them; undefined while it is counted */
  count: ComputedRef<number | null | undefined>
  failure: Loaded<unknown>['failure']
}

/** @param segment as in {@link CampaignDraft.segment}; null = not shown, or a Remote List */
export function useRecipientCount(listId: () => number, segment: Ref<number | null>): RecipientCount {
  const {
    value: counts,
    failure,
    reload
  } = useLoaded(async () => {
    if (segment.value === ownConditions || segment.value === null) return null
    return segment.value > 0 ? fetchSegmentCounts(segment.value) : countClause(listId(), [])
  }, [segment])
  useLiveEvents().reloadOn(['subscriber', 'segment'], () => null, reload)
  return { count: computed(() => counts.value && counts.value.active), failure }
}

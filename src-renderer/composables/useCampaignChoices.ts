import { computed, type ComputedRef } from 'vue'
import { fetchCampaigns } from '../api/campaigns.ts'
import { useLoaded } from './useLoaded.ts'

/** What a select of a list's campaigns offers, the newest first; none while they are loaded. */
export function useCampaignChoices(listId: () => number): ComputedRef<{ value: number; label: string }[]> {
  const { value: campaigns } = useLoaded(() => fetchCampaigns(listId()))
  return computed(() => (campaigns.value ?? []).map(({ id, name }) => ({ value: id, label: name })))
}

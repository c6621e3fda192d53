import { computed, type ComputedRef } from 'vue'
import { fetchCampaigns } from '../api/campaigns.ts'
import { type Loaded, useLoaded } from './useLoaded.ts'

export interface CampaignChoices {
  /** The campaigns of a list, the newest first; none while they are loaded. */
  choices: ComputedRef<{ value: number; label: string }[]>
  failure: Loaded<unknown>['failure']
}

/** What a select of a list's campaigns offers. */
export function useCampaignChoices(listId: () => number): CampaignChoices {
  const { value: campaigns, failure } = useLoaded(() => fetchCampaigns(listId()))
  const choices = computed(() => (campaigns.value ?? []).map(({ id, name }) => ({ value: id, label: name })))
  return { choices, failure }
}

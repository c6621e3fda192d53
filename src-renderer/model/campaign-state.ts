import type { CampaignState } from '../api/campaigns.ts'

/** Returns the state in words users expect: a held campaign is paused. */
export function shownState(state: CampaignState, paused: boolean): CampaignState | 'paused' {
  return paused && (state === 'scheduled' || state === 'sending') ? 'paused' : state
}

import type { CampaignState } from '../../api/campaigns.ts'

/** As a person would say it: one that is held is paused, whatever it is held in. */
export function shownState(state: CampaignState, paused: boolean): CampaignState | 'paused' {
  return paused && (state === 'scheduled' || state === 'sending') ? 'paused' : state
}

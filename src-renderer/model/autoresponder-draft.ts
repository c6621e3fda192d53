import type { Autoresponder, AutoresponderInput } from '../api/autoresponders.ts'
import { fillDraft } from './fill-draft.ts'

const blankDraft = {
  name: '',
  paused: false,
  trigger: 'subscription' as Autoresponder['trigger'],
  trigger_run_on_api: true,
  trigger_include_subscribers_from_import: false,
  trigger_autoresponder_to_open_id: 0,
  trigger_campaign_to_open_id: 0,
  segmentation_criteria_id: 0,
  delay: 'immediately' as Autoresponder['delay'],
  delay_amount: 0,
  delay_unit: 'hours' as NonNullable<Autoresponder['delay_unit']>,
  delay_time: 9,
  use_external_delivery_setting: true,
  from_name: '',
  from_email: '',
  virtual_mta_id: 0,
  url_domain_id: 0,
  bounce_email_user_id: 0,
  track_opens: true,
  track_links: true,
  content_subject: '',
  content_format: 'both' as Autoresponder['content_format'],
  content_html: '',
  content_text: ''
}

/** An autoresponder that is being written, by the API's names of its fields; 0 stands for nothing chosen. */
export type AutoresponderDraft = typeof blankDraft

/** @param autoresponder undefined for a new one */
export function draftOf(autoresponder?: Autoresponder): AutoresponderDraft {
  return autoresponder ? fillDraft(blankDraft, autoresponder) : { ...blankDraft }
}

export function hasHour(unit: AutoresponderDraft['delay_unit']): boolean {
  return ['days', 'weeks', 'months'].includes(unit)
}

/** Properties that only some triggers and delays use; changes are stored even if they are unused. */
export function dependentsOf(draft: AutoresponderDraft) {
  return {
    trigger_run_on_api: draft.trigger_run_on_api,
    trigger_include_subscribers_from_import: draft.trigger_include_subscribers_from_import,
    delay_amount: Number(draft.delay_amount),
    delay_unit: draft.delay_unit,
    delay_time: draft.delay_time
  }
}

/**
 * Returns the draft as a request. Properties of other triggers and delays are left out: the draft has them
 * only in case they are selected.
 */
export function inputOf({
  trigger_run_on_api,
  trigger_include_subscribers_from_import,
  delay_amount,
  delay_unit,
  delay_time,
  ...draft
}: AutoresponderDraft): AutoresponderInput {
  return {
    ...draft,
    name: draft.name.trim(),
    ...(draft.trigger === 'subscription' && { trigger_run_on_api, trigger_include_subscribers_from_import }),
    ...(draft.delay === 'with_delay' && { delay_amount: Number(delay_amount), delay_unit }),
    ...(draft.delay === 'with_delay' && hasHour(delay_unit) && { delay_time }),
    trigger_autoresponder_to_open_id: draft.trigger.startsWith('autoresponder_')
      ? draft.trigger_autoresponder_to_open_id || null
      : null,
    trigger_campaign_to_open_id:
      draft.trigger === 'campaign_open' ? draft.trigger_campaign_to_open_id || null : null,
    segmentation_criteria_id: draft.segmentation_criteria_id || null,
    from_name: draft.from_name.trim() || null,
    from_email: draft.from_email.trim() || null,
    virtual_mta_id: draft.virtual_mta_id || null,
    url_domain_id: draft.url_domain_id || null,
    bounce_email_user_id: draft.bounce_email_user_id || null
  }
}

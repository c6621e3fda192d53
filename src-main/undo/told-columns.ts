// What the audit log tells of an edit with its values, for as long as it is kept; of everything else only that it changed.

/** Names of the columns whose values are shown. */
export const told: Record<string, string> = {
  name: 'name',
  time_zone_name: 'time_zone',
  anniversary_day: 'anniversary_day',
  subscriber_limit: 'subscriber_limit',
  d_from_email: 'from_email',
  from_email: 'from_email',
  d_from_name: 'from_name',
  from_name: 'from_name',
  d_reply_to: 'reply_to',
  d_sender_email: 'sender_email',
  instructions: 'instructions',
  content_subject: 'subject',
  html_editor: 'html_editor'
}

/** Columns with 0 and 1, and what they are called. */
export const flags: Record<string, string> = {
  enforces_confirmed_opt_in: 'confirmed_opt_in',
  has_format: 'email_format',
  has_confirmed: 'confirmed',
  required: 'required',
  requires_confirmation: 'requires_confirmation',
  track_opens: 'track_opens',
  track_links: 'track_links',
  trigger_include_subscribers_from_import: 'runs_on_import',
  trigger_run_on_api: 'runs_on_api',
  archived: 'archived'
}

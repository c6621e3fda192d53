/** The sentence of each rule in English, as the API's error_message has it (docs/api.md, "Errors"); params stand in braces. */
export const english = {
  said: '{text}',
  and_more: 'and {count} more',

  // The request
  request_not_valid: 'the request is not valid',
  body_not_object: 'the request body must be a JSON object',
  body_not_json: 'the request body is not JSON: {fault}',
  body_too_large: 'the request body is larger than this path accepts',
  body_holds_too_much: 'the request body is more than this path accepts: {fault}',
  path_too_long: 'the path of the request is too long',
  closing: 'Listwright is closing; start it again, and send this once more',
  changed_by_others: 'this was changed by others in the meantime',
  page_token: '{field} must be the next_page_token of an earlier response',
  page_token_of_other: '{field} belongs to another list or segment',
  too_many_names: 'at most {most} ids or emails can be asked for at once',
  other_host: 'requests must be addressed to 127.0.0.1:{port}',
  other_web_page: 'requests from other web pages are refused',

  // Who may call
  no_key: 'an Authorization header with an API key is required',
  wrong_key: 'the Authorization header holds no valid "<organization_id>:<api_key>"',
  permission: 'this needs the permission {permissions}, which user {user} does not have',
  system_admins_only: 'only system administrators may do this',
  admins_only: 'only administrators may do this',
  terms_not_agreed: 'agree to the terms and conditions first',
  window_signed_out: 'this window is signed out',
  window_of_key: 'this window was opened with an API key and shows the organization of the key only',
  window_of_system_admin: 'only system administrators may sign out system administrators',
  key_of_system_admin: 'only system administrators may revoke keys of system administrators',
  key_of_link_revoked: 'the API key that made this link was revoked',
  keys_of_others: 'only people who can edit a user can create API keys for them',
  link_used: 'this link was used before, or is older than 10 minutes',
  no_session: 'only a signed-in window has a session',
  outlives_key: '{field} is for the command line of this installation; other windows end with their API key',
  sign_in:
    'email or password is wrong, or the user is not allowed to sign in. After {failures} wrong passwords in a row, a user is temporarily locked out; an administrator can unlock them',
  password_wrong: '{field} is wrong, or you are temporarily locked out after {failures} wrong ones in a row',
  too_many_passwords: 'too many passwords are being checked; try again in a few seconds',

  // Any value
  not_found: '{what} was not found',
  record_not_found: '{what} {id} was not found',
  id_unknown: '{field} {id} does not exist',
  name_unknown: '{field} "{name}" does not exist',
  blank: '{field} cannot be blank',
  blank_primary_key: '{field} cannot be blank, because it is the primary key of this list',
  blank_when: '{field} cannot be blank when {other} is {value}',
  blank_when_given: '{field} cannot be blank when {other} is given',
  blank_when_true: '{field} cannot be blank when {other} is true',
  blank_in_format: '{field} cannot be blank when the format is {format}',
  both_blank: '{field} or {other} cannot be blank',
  left_out: '{field} must be left out',
  not_together: '{field} and {other} must not be given together',
  same_as: '{field} must be the same as {other}',
  greater_than: '{field} must not be greater than {other}',
  after: '{field} must not be after {other}',
  comes_before: '{field} must not come before {other}',
  form: '{field} is not in the right form',
  schema: '{field} {fault}',
  type: '{field} must be {type}',
  plain_value: '{field} must be a text, a number, true or false, or an array of texts',
  text: '{field} must be a text',
  text_length: '{field} must be a text of 1 to {most} characters',
  single_line: '{field} must be a single line',
  minimum_length: '{field} must be at least {least} characters',
  maximum_length: '{field} must be at most {most} characters',
  minimum: '{field} must be at least {least}',
  maximum: '{field} must be at most {most}',
  from_to: '{field} must be from {least} to {most}',
  minimum_entries: '{field} must have at least {least} entries',
  maximum_entries: '{field} must have at most {most} entries',
  one_of: '{field} must be one of {values}',
  not_one_of: '{field} must be one of {values}, and "{value}" is not one',
  some_of: '{field} must be some of {values}',
  whole_number: '{field} must be a whole number',
  not_whole_number: '{field} must be a whole number, and "{value}" is not one',
  whole_number_to: '{field} must be a whole number from 0 to {most}',
  percentage: '{field} must be between 0 and 100 with at most two decimals, such as "94.85"',
  loses_zero: '{field} would lose its leading zero as a number: "{value}"',
  loses_plus: '{field} would lose its plus sign as a number: "{value}"',
  not_boolean: '{field} must be true or false, and "{value}" is neither',
  not_format: '{field} must be html, text or both, and "{value}" is not one',
  email_address: '{field} is not a valid email address: "{email}"',
  email_contains: '{field} is not a valid email address, because it contains {blank}: "{address}"',
  email_contains_character:
    '{field} is not a valid email address, because it contains the invisible character {character}: "{address}"',
  ascii_domain: '{field} must be at a domain without letters beyond a to z: "{email}"',
  ip_address: '{field} must be an IP address such as 192.0.2.1',
  not_ip_address: '{field} must be an IP address, and "{value}" is not one',
  domain: '{field} must be a domain such as mail.example.com, and "{domain}" is not one',
  local_part: '{field} must be what stands before the @ of an email, and "{username}" is not',
  url: '{field} {fault}',

  // Days and times
  day: '{field} must be a day such as {example}',
  date: '{field} must be a date such as {first}, {second} or {third}',
  not_date: '{field} must be a date such as {first}, {second} or {third}, and "{value}" is not one',
  day_of_year: '{field} must be a day of the year such as {example}',
  not_day_of_year: '{field} must be a day of the year such as {example}, and "{value}" is not one',
  time: '{field} must be an ISO 8601 time such as 2015-03-09T10:34:04-05:00, or a UNIX time in seconds',
  time_in_milliseconds:
    '{field} must be a UNIX time in seconds, and this one seems to be in milliseconds or microseconds',
  in_years: '{field} must be in the years {first} to {last}',
  not_in_years: '{field} must be in the years 1970 to 9999, and "{value}" is not',
  time_zone: '{field} must be one of the IANA time zones, such as Europe/Zurich, and "{name}" is not one',
  too_far_in_the_past: '{field} must not be more than 2 hours in the past',
  begins_at_passed: '{field} is more than 2 hours in the past: give another one',

  // Names, and records that need each other
  name_taken: '{field} "{name}" is already taken by another {kind}',
  there_already: '{field} "{value}" is there already',
  used_by: '{name} cannot be deleted: it is used by {others}',
  triggers: '{name} cannot be deleted: it triggers {others}',
  asked_for_by: '{name} cannot be deleted: it is asked for by {others}',
  no_segment_of_list: '{field} {id} is no segment of this list',
  no_campaign_of_list: '{field} {id} is no campaign of this list',
  no_field_of_list: '{field} {id} is no custom field of this list',
  no_form_of_list: '{field} {id} is no subscription form of this list',
  no_other_autoresponder: '{field} {id} is no other autoresponder of this list',
  no_content_of_campaign: '{field} {id} is no content of this campaign',
  job_in_state: '{noun} that is {state} cannot be {participle}',

  // Subscribers
  taken_key:
    '{shown} ^"{name}" is the primary key for this mailing list, and this value is already taken by a different subscriber in the list.',
  field_unknown: '{field} is no custom field of this list',
  subscriber_limit: "the organization's limit of {limit} subscribers is reached",
  deletion_disabled: 'subscribers cannot be deleted: service_disable_subscriber_deletion is on',
  removal_disabled: 'subscribers cannot be removed: service_disable_subscriber_deletion is on',
  one_of_several: '{what} {id} is one of several with that email; name it by its id',
  not_unsubscribe_token: '{field} is not the unsubscribe token of a subscriber',
  subscriber_not_active:
    'subscriber {email} is {status}; reactivate_subscriber must be true to trigger autoresponders',
  autoresponder_not_on_list: '{field}: autoresponder {autoresponder} is not on this list',
  no_autoresponder_named: '{field}: no autoresponder of this list is named "{pattern}"',
  replacement_key_blank: '{field}: a key cannot be blank',
  replacement_key_length: '{field}: the key "{key}" must be at most {most} characters',
  replacement_key_letters: '{field}: the key "{key}" must contain a letter or a digit',
  replacement_key_same:
    '{field}: the key "{key}" must differ from "{same}" by more than case and white space',
  form_without_confirmation: '{field} {id} must be a form that requires confirmation',
  enforces_opt_in: '{field}: the organization enforces confirmed opt-in',
  opt_in_needs_form: '{field} cannot be blank: the organization enforces confirmed opt-in',

  // Custom fields
  custom_field_used:
    'Cannot delete custom field because it is currently being used by the following records.',
  global_already: '{field} {id} is global already',
  name_not_unique: '{field} "{name}" must be unique in the organization, and {places} has it too',
  reserved_for_imports: "{field} must not be {name}, which imports reserve for the subscriber's own columns",
  unreadable_name: '{field} must not be __proto__, which many programs cannot read as a key',
  options_without_select: '{field} belong to select fields only',
  options_differ: '{field} must differ, and "{name}" is there twice',
  type_while_import:
    '{field} cannot change from {from} to {to} while an import is running; try again once it has ended',
  type_while_segment: '{field} cannot change from {from} to {to} while the segment "{segment}" asks for it',
  type_while_changing:
    '{field} cannot change from {from} to {to} while many subscribers are being changed; try again in a moment',
  type_while_used: '{field} cannot change from {from} to {to} while subscribers have a value',
  options_while_import:
    '{field} cannot lose "{names}" while an import is running; try again once it has ended',
  options_while_segment: '{field} cannot lose "{names}" while the segment "{segment}" asks for it',
  options_while_changing:
    '{field} cannot lose "{names}" while many subscribers are being changed; try again in a moment',
  options_while_used:
    '{field} cannot lose "{names}" while subscribers have it; give the option another name instead',

  // Mailing lists
  key_with_several_values: '{field}: {name} can have several values, so it cannot be a key',
  key_while_bulk_action: '{field} cannot change while bulk action {id} is under way',
  key_while_import: '{field} cannot change while subscriber import {id} is not finished',
  key_while_undo: '{field} cannot change while subscriber import {id} is being undone',
  key_missing: '{field} cannot change: subscriber {id} has no {name}, which the primary key needs',
  keys_shared: '{field} cannot change: several subscribers share the {name} {keys}',
  keys_shared_by_many: '{field} cannot change: several subscribers share the {name} {keys} and others',
  list_changes_key: 'the list is changing its primary key; try again when that is done',
  other_confirmation_code: '{field} is not the one that was issued for this list',
  confirmation_code_expired: '{field} has expired; ask for a new one',
  header_line: '{field} line {line} must be a name, a colon and a value, such as X-Team: Blue',
  own_header: '{field} line {line} must not be {name}, which each message has of its own',
  seed_list_unknown: '{field}: seed list {id} does not exist',
  seed_list_not_named: '{field}: seed list "{name}" does not exist',

  // Remote Lists
  remote_list_has_none: 'mailing list {id} is a Remote List, which has no {what}',
  only_at_creation: '{field} can be set only when a list is created',
  only_in_system_organization: '{field}: Remote Lists can be created in the System Organization only',
  connection_of_local_list: 'database_connection_id and database_connection_name belong to Remote Lists only',
  remote_list_without_connection:
    'a Remote List needs exactly one of database_connection_id and database_connection_name',
  remote_sql_of_local_list: '{field} belongs to campaigns of Remote Lists only',
  remote_list_without_segments: 'a Remote List has no segments: give segmentation_criteria_remote_sql',

  // Segments
  too_many_conditions: '{field} has {count} conditions, and may have {most}',
  segment_without_conditions: '{field} cannot be blank',
  no_conditions: '{field} must hold at least one condition',
  group_too_deep: '{field} is a group in {most} others, which is too deep',
  domain_of_condition: '{field} must be a domain such as example.com',
  id_of: '{field} must be the id of {what}',
  option_ids: '{field} must be the ids of options of this field',
  only_list_conditions: '{field} must be in_mailing_list, the only type of condition that is supported',
  database_not_set_up: 'the database connection {name} has a name only. Enter its server under Delivery',
  database_no_secret: 'the password for the database {name} is missing. Enter it again under Delivery',
  database_host: '{field} must be the name or address of a server, without a scheme or a path, not "{host}"',
  database_path: '{field} must be the whole path of a SQLite file on this computer',
  certificate: '{field} is not a certificate in PEM format: {words}',
  database_unreachable: 'the database {name} cannot be reached: “{words}”',
  database_certificate:
    'the certificate of the database {name} cannot be verified: “{words}”. Enter the certificate of its CA in the connection',
  database_refuses_connection: 'the server of the database {name} refuses the connection: “{words}”',
  database_refuses_row: 'the database {name} refuses it: “{words}”',
  database_refuses_table: 'the database {name} does not let Listwright write into the table: “{words}”',
  database_sign_in_refused: 'the database {name} refuses the user name or password: “{words}”',
  query_refused: 'the database {name} refuses the query: “{words}”',
  query_refused_at: 'the database {name} refuses the query in line {line}, column {column}: “{words}”',
  query_writes: 'the database {name} refuses the query because it would change data: “{words}”',
  query_too_slow: 'the database {name} took longer than {seconds} s',
  query_without_rows: 'the query must return columns. Begin it with SELECT or WITH',
  query_row_too_large:
    'rows of the query have more than {megabytes} MB at once. Leave out or shorten large columns',
  remote_sql_missing: 'a campaign to a Remote List needs a query that returns its recipients',
  query_columns: 'the query returns {count} columns; at most {most} are possible',
  query_column_twice: 'the query returns the column “{column}” twice. Give one of them another name with AS',
  query_without_email: 'the query returns no column “email”, only {columns}. Name the address with AS email',
  row_without_email: 'row {row} has no email',
  row_email: 'row {row} has no valid email: {email}',
  row_distinct_id:
    'row {row} has a distinct_id that is neither empty nor a number from 1 to 2147483647: {id}',
  row_not_utf8: 'row {row} holds bytes in the column “{column}” that are not valid UTF-8',
  row_nul: 'row {row} holds a NUL byte in the column “{column}”',
  import_row_nul:
    'row {row} holds a NUL byte in the column “{column}”, which no import takes. Leave the row or the byte out in the query',
  row_value_too_long: 'row {row} has more than {most} characters in the column “{column}”',
  spool_missing:
    'the recipients that were read for this campaign are no longer in the data folder. Cancel the campaign; the journal says who has its message',
  too_many_queries: 'at most {most} queries can be tried at the same time. Wait until one of them has ended',
  removal_refused:
    'the row of {email} cannot be written, and later ones wait until the table takes it: {fault}',
  list_without_database: 'this list has subscribers. Only a Remote List has a database',
  table_name: '{field} must be the name of a table, such as removals or crm.removals',
  query_columns_changed:
    'the query now returns other columns than when the import was set up. It returned {columns}, and now {found}. Correct the query, or set the import up again',
  database_not_allowed:
    'this organization may not use the database {name} any more. A system administrator can allow it under Delivery',
  database_of_deleted_list:
    'the deleted list {list}, which can be restored for some days, needs the database {name}',
  database_own_data: '{field} must not be a file in the data folder of Listwright',
  remote_list_named: '{field} {id} is a Remote List, which has no subscribers',
  import_of_earlier_version:
    '{field} {id} was made by an earlier version, which did not record whom it added',
  sent_by_earlier_version: '{field} {id} was sent by an earlier version, which did not keep to whom',
  segment_of_deleted_list:
    'the segment refers to mailing list {id} ("{name}"), which was deleted; change the segment first',

  // Campaigns and autoresponders
  template_of_other_list: '{field}: template {id} belongs to another list, so its segment cannot be copied',
  only_one_segment_input:
    'only one of segmentation_criteria_id, segmentation_criteria_ad_hoc and segmentation_criteria_remote_sql can be given',
  only_one_seed_list_input: '{field}: only one of {inputs} can be given',
  campaign_cannot_change: 'a campaign that is {state} cannot be changed, except for its name',
  campaign_cannot_pause: 'a campaign that is {state} cannot be paused',
  campaign_cannot_resume: 'a campaign that is {state} cannot be resumed',
  campaign_cannot_cancel: 'a campaign that is {state} cannot be cancelled',
  campaign_paused_already: 'a campaign that is paused already cannot be paused',
  campaign_not_paused: 'a campaign that is not paused cannot be resumed',
  campaign_is_sending: 'a campaign that is sending cannot be deleted: cancel it first',
  campaign_without_content: 'the campaign has no content',
  no_content_to_send: 'there is no content to send',
  other_bounce_domain: '{field} {domain} is not the domain of bounce_email_user_id {id}',
  image_type: 'the image must be a PNG, JPEG or GIF file',
  image_empty: 'the image must not be empty',
  no_gate: '{name} is no gate: it has no address and no key to change',
  gate_no_key: 'the key of the gate {address} is missing. Enter it again under Delivery',
  gate_refuses_key:
    'the gate {address} refuses its key. Enter the one that it printed at its start under Delivery',
  gate_foreign:
    'the gate {address} belongs to another organization or installation of Listwright. Start one of your own with another --data-dir',
  gate_unreachable: 'the gate {address} cannot be used: “{words}”',
  webhook_address: '{field} must be a web address that begins with http:// or https://; "{text}" is none',
  webhook_address_with_password: '{field} must not contain a user name or password: they would not be sent',
  webhook_private_by_admins:
    'only a system administrator allows {field}, and changes the url of a webhook that is allowed to',
  webhook_secrets_most: 'a webhook has at most {most} secrets. Remove one that is no longer used first',
  webhook_last_secret: 'this is the only secret of the webhook: add another one first',
  webhook_message_waiting: 'this message is still to be delivered',
  webhook_disabled: 'the webhook {name} is disabled: enable it first',
  webhook_no_secret: 'the secrets of the webhook {name} are missing on this computer. Add one',
  webhook_private: '{host} is an address of this computer or of a private network; allow it in the webhook',
  webhook_unreachable: '{url} does not answer: “{words}”',
  webhook_refused: '{url} answered with status {status}',
  mailbox_no_secret: 'the password for {name} is missing. Enter it again under Bounces',
  maildir_path: '{field} must be the whole path of a Maildir, such as /var/mail/bounces/Maildir',
  maildir_by_admins: 'only a system administrator reads a folder of this computer ({field} maildir)',
  judgement_undone: 'this is undone already',
  maildir_missing: '{path} is no Maildir that can be read: it needs the folders new and cur',
  mailbox_sign_in_refused: '{name} refuses the user name or password: “{words}”',
  mailbox_unreachable: '{name} cannot be read: “{words}”',
  message_empty: 'the body of the request must be a message as it was received',
  attachment_empty: 'the attachment must not be empty: the body of the request is the file',
  attachment_name:
    '{field} must be the name of a file, such as "Prices.pdf", without a folder, line breaks or control characters',
  attachment_type:
    'mailbox providers refuse files that end in .{extension}: put the file on the web and send a link to it',
  attachment_name_taken: 'there is an attachment {name} already: delete it first',
  attachments_too_many: 'a message can have at most {most} attachments',
  attachments_too_large:
    'with {name} the attachments would have {size} MB: a message can carry at most {most} MB, since mail servers refuse larger ones',

  // Users
  version_of_terms: '{field} must be that of the terms, which is {version}',
  terms_not_enabled: '{field} can be set only when the terms feature is enabled',
  system_admin_elsewhere: '{field} system_admin is only for users of the System Organization',
  system_admin_by_others: 'only system administrators may give the role system_admin',
  user_is_system_admin: 'user {id} is a system administrator, and only system administrators may change one',
  last_admin_deleted: '{name} is the last active system administrator and cannot be deleted',
  last_admin_changed:
    '{name} is the last active system administrator and must stay active and a system administrator',
  permission_unknown: '{field} does not exist; there are {known}',
  permission_takes: '{field} takes {allowed}, and "{unknown}" is none of them',
  limit_by_others: 'only system administrators may set subscriber_limit',

  // Imports and exports
  mapped_twice: '{field} names {name} twice (again in column {column})',
  email_format_of_other_list: '{field}: email_format belongs to lists with has_format only',
  confirmed_of_other_list: '{field}: confirmed belongs to lists with has_confirmed only',
  no_custom_field_of_list: '{field}: {name} is no custom field of this list',
  mapping_without_email: '{field} must contain email',
  mapping_without_key: '{field} must contain {name}, the primary key of this list',
  in_default_custom_fields: '{field}: {fault}',
  content_too_large: '{field} must be at most 16 MB; use upload_directory for larger files',
  upload_without_folders: '{field} must be the name of a file in the upload directory, without folders',
  no_upload: '{field} {filename} is not in the upload directory',
  no_regular_file: '{field} {filename} is not a regular file',
  file_changed_meanwhile:
    'the file {filename} changed while the import was interrupted, so the import cannot continue. Import the changed file again',
  row_corrected_already: 'failed row {row} was already corrected',
  no_failed_row: 'failed row {row} does not exist, or no longer does',
  too_many_dry_runs: '{count} dry runs are running already. Wait until one has finished, or stop one',
  import_under_way: 'the import is still under way',
  undo_of_running_import: 'an import that is {state} cannot be undone; cancel it first',
  import_too_old: 'an import can be undone for 7 days, and this one ended before that',
  import_undone_already: 'this import was undone already',
  import_without_changes: 'this import changed nothing that could be undone',
  no_column_of_list: '{field}: {name} is no column of this list',
  column_twice: '{field} names {name} twice',
  export_file_removed:
    'the file of subscriber export {id} was removed {days} days after it was finished. Export again',
  not_suppressible: '{field} is no email address, @domain or MD5 sum: "{line}"',

  // The table of subscribers
  columns_without_email: '{field} must hold email',
  columns_twice: '{field} must not name a column twice',
  sort_by: '{field} must be one of {columns} or the id of a custom field with one value',

  // Bulk actions
  other_list: '{field} must be a different list from the one they are on',
  suppression_list_of_other_list: 'the suppression list {name} is for another mailing list',
  no_domains: '{field} must name at least one domain',
  too_many_domains: '{field} must name at most {most} domains',
  no_domain: '{field}: "{domain}" is not the name of a domain',
  domain_by_itself: '{field}: {domain} cannot be replaced by itself',
  same_primary_key: '{field} is the primary key of this list: no two subscribers can have the same',
  only_one_value: '{field} must be set: {name} can have only one value',
  value_too_long_for_many: '{field} must be at most {most} characters to be set for many subscribers at once',
  no_option: '{field} must name at least one option',
  field_deleted: 'the custom field {name} was deleted',
  field_became_key: '{name} has become the primary key of this list',
  field_changed: 'the custom field {name} has changed, and no longer accepts that value',
  bulk_action_too_old: 'a bulk action can be undone for {days} days, and this one ended longer ago',
  undo_of_running_action: 'a bulk action that is running cannot be undone; cancel it first',
  action_being_undone: 'this bulk action is already being undone',
  action_undone_already: 'this bulk action was already undone',
  action_without_changes: 'this bulk action changed nobody, so there is nothing to undo',
  action_of_deleted_list: 'the list of this bulk action was deleted',

  // Undoing
  undo_of_other_origin: 'only changes made in the app or with an API key can be undone one by one',
  undo_too_old: 'changes can be undone for {days} days, and this one is older',
  undo_of_adding: 'to undo adding a subscriber, delete them',
  undo_while_import: 'this change cannot be undone while an import is running; try again once it has ended',
  undo_while_segment: 'this change cannot be undone while the segment "{segment}" asks for it',
  undo_takes_values:
    'undoing this could take values from subscribers. Change the type or the options of the field itself instead',
  undo_scheduled_campaign: 'the campaign is to be sent as it is now. Change the campaign itself instead',
  undo_begun_campaign: 'the campaign has begun to be sent, so this change cannot be undone',
  undo_needs_deleted: 'it used something that has been deleted since, so this change cannot be undone',
  changed_again: 'this was changed again since then, so this change cannot be undone on its own',
  values_changed_again: '{names} changed again since then, so this change cannot be undone on its own',
  change_unknown: 'what was changed is no longer known',
  deletion_unknown: 'what was deleted is no longer known',
  restored_already: 'it has been restored already',
  removed_for_good: 'what it held is being removed for good',
  messages_being_removed: 'the messages it had queued are still being removed; try again in a moment',
  name_taken_rename: 'another record has its name by now. Rename that one first',
  name_taken_delete: 'another record has its name by now. Delete that one first',
  no_room_for_list: 'the subscriber limit leaves no room for the subscribers of this list',
  no_room_for_subscriber: 'the subscriber limit leaves no room for {email}',
  on_list_again: '{email} is on the list again',
  lacks_primary_key: 'the list now has a different primary key, which {email} lacks',
  cannot_be_restored: '{email} cannot be restored',
  former_key_invalid: 'the previous value of the primary key is no longer valid',
  former_key_taken: 'another subscriber on the list has the primary key value that {email} had',

  // Backups and damaged data
  nothing_to_recover: 'The data is not damaged: there is nothing to recover.',
  data_unusable: 'The data cannot be used as it is: {faults}',
  backup_in_progress: 'a backup is already in progress',
  backup_being_exported: 'the backup is being exported; delete it when that is done',
  backup_to_be_restored:
    'the backup is to be restored at the next start; keep the current data before you delete it',
  backup_unusable: '{name} cannot be used: {faults}',
  passphrase: '{field} must have at least {least} characters',
  passphrase_header: 'the header X-Passphrase must be percent-encoded',
  whole_path: '{field} must be a whole path, such as {example}',
  no_folder: '{field} must exist; there is no folder {folder}',
  folder_of_data: '{field} must be outside of the folder that holds the data',
  folder_not_writable: '{field} must be writable; nothing can be written to {folder}',

  // Updates
  no_update_address: 'this copy does not know where to look for updates',
  no_update: 'there is no update to install from here',

  // Sync
  address: '{field} must be an address such as https://api.example.com',
  address_with_password: '{field} must not contain a name or password: the key has its own field',
  address_without_https: '{field} must begin with https://, so that nobody can intercept the key',
  address_with_path: '{field} must be only the address of the server, such as https://api.example.com',
  stored_key_missing: 'the stored key of this server was not found; enter it again',
  remote_needs_answer: '{name} needs an answer first: {question}',
  remote_not_asking: '{name} is not asking that',
  conflict_of_record: 'to resolve this conflict, change the record itself',
  conflict_of_membership: 'to resolve this conflict, add or remove the subscriber',
  no_longer_on_list: 'this subscriber is no longer on the list',
  list_not_mirrored: 'it refers to a list that is not mirrored',
  segment_not_here: 'it uses a segment that is not here',
  closing_while_rekeying:
    'Listwright is closing, so the primary key may not have changed; look at the list at the next start',

  // Disks, and what is said around another refusal
  several: '{faults}',
  line: 'Line {line}: {fault}',
  in_place: '{place}: {fault}',
  internal_error: 'an internal error, logged as request {id}',
  stopped_by_internal_error: '{what} was stopped by an internal error: {fault}',
  disk_full: 'the disk is full. Free some space',
  data_locked: 'the data is locked by another program, such as a database browser. Close it there',
  disk_failing: 'the disk has failed to read or write. Check the disk and its cable',
  data_moved: 'the data is no longer in its folder, which was moved, removed or replaced. Put it back',
  log_moved: 'the log of the database is no longer in its folder. Put it back, or start Listwright again,',
  too_many_open_files: 'too many files are open on this computer. Close other programs',
  database_damaged: 'the database is damaged, and nothing is written until this is fixed on the Backups page',
  and_try_again: '{fault} and try again',
  then_import_again: '{fault}, then import the file again',
  then_continue_import: '{fault}, then continue the import',
  then_continue_campaign: '{fault}, then continue the campaign',
  then_export_again: 'The export stopped: {fault}, then export again',
  export_stopped: 'The export stopped: {fault}',

  // Files of contacts
  file_empty: 'the file is empty',
  file_is_empty: 'The file is empty',
  row_too_wide: 'the row has {columns} columns, and the import expects {expected}',
  row_enclosed: 'the whole row is enclosed as one cell',
  not_email_address: '{field} is not a valid email address',
  file_too_wide: 'the file has {count} columns, and at most {most} can be imported',
  email_beyond_column:
    'the file has {count} column, and column_mapping expects email in column {column}. Is the separator right?',
  email_beyond_columns:
    'the file has {count} columns, and column_mapping expects email in column {column}. Is the separator right?',
  text_after_enclosure:
    'after the closing {enclosure} there is more text; a {same} inside a field must be doubled',
  enclosure_not_closed: 'a {enclosure} is opened here and never closed',
  record_too_long_enclosed:
    'the record that begins here is longer than {most} characters. Probably a {enclosure} is opened and never closed',
  record_too_long:
    'the record that begins here is longer than {most} characters. The file seems to have no line breaks, so it is probably not a CSV file',
  pdf_not_csv: 'this is a PDF document, not a CSV file',
  spreadsheet_not_csv: 'this is a spreadsheet, not a CSV file. In the spreadsheet, save it as CSV',
  broken_archive_not_csv:
    'this is a spreadsheet or a broken zip archive, not a CSV file. If it is a spreadsheet, save it as CSV',
  spreadsheet_or_archive_not_csv:
    'this is a spreadsheet or a zip archive, not a CSV file. In the spreadsheet, save it as CSV',
  old_spreadsheet_not_csv: 'this is an old spreadsheet (.xls), not a CSV file. Save it as CSV',
  utf16_not_csv: 'the file is encoded as UTF-16. Save it as CSV in UTF-8',
  nul_byte: 'the file contains a NUL byte, so it is not a CSV file. Save it as CSV in UTF-8',
  not_utf8:
    'the file is not valid UTF-8. Choose ISO-8859-1 if it comes from an older program, or save it as UTF-8',
  unpacks_too_large:
    'the compressed file unpacks to more than 20 GB, the most that can be imported. Split it into smaller files',
  cannot_unpack: 'the compressed file cannot be unpacked: {fault}',
  archive_of_several: 'the zip archive holds {count} files, and an import needs exactly one',
  archive_without_contacts:
    'the zip archive holds no contact file (.csv, .tsv, .txt, .xlsx, .ods or .vcf) among its {count} files',
  archive_in_archive: 'the archive holds another archive. Unpack it, and import the file inside',
  archive_lacks_file: 'the archive holds no file {name}',
  archive_part_damaged: '{name} in the archive is damaged',
  archive_part_too_large: '{name} in the archive unpacks to more than 8 GB. Split it into smaller files',
  broken_archive: 'this is a broken spreadsheet or zip archive',
  numbers_document:
    'this is a Numbers document. In Numbers, choose File > Export To > Excel, and import the .xlsx file',
  binary_workbook:
    'this is a binary Excel workbook (.xlsb). In Excel, save it as .xlsx, and import that file',
  old_workbook:
    'this is an old Excel workbook (.xls). In Excel or LibreOffice, save it as .xlsx, and import that file',
  other_office_document:
    'this is an Office document without a table of contacts. Save the contacts as .xlsx or CSV',
  pdf_document:
    'this is a PDF document, from which contacts cannot be read. Ask for the list as .xlsx or CSV',
  ldif_document:
    'this is an address book in LDIF. In the address book, export it as CSV or vCard, and import that file',
  web_page: 'this is a web page or an XML document. Open it in a spreadsheet, and save it as .xlsx',
  spreadsheet_without_sheet: 'the spreadsheet has no sheet',
  workbook_without_sheet: 'the workbook has no sheet',
  sheet_missing: 'the file lacks its sheet {sheet}',
  spreadsheet_damaged: 'the spreadsheet is damaged: {fault}',
  workbook_text_missing: 'the workbook is damaged: there is no text number {number}',
  workbook_row_missing: 'the workbook is damaged: there is no row {row}',
  workbook_cell_missing: 'the workbook is damaged: there is no cell {cell}',
  workbook_text_too_long: 'the workbook holds more than 500 million characters of text. Save it as CSV',
  header_too_far_down: 'the column names have to be among the first 500 lines',
  file_changed: 'the file changed while it was being imported. Import it again',
  file_changed_partly_imported:
    'the file changed while it was being imported. The rows that were imported before stay; import the changed file again',
  no_readable_file: 'The file {path} does not exist or cannot be read.',
  no_importable_file: '{path} is not a file that can be imported.',
  no_local_address: '{url} is not the address of a file on this computer.',
  file_missing: 'the file is not there any more. Put it back and start the import again',

  // Downloads
  private_address:
    '{host} is an address of this computer or of a private network, and imports from there are not allowed (service_url_imports_allow_private_addresses)',
  not_web_address: '"{text}" is not the web address of a file: it must begin with http:// or https://',
  download_incomplete: '{url} could not be downloaded: it was not complete after {minutes} minutes',
  download_failed_once: '{url} could not be downloaded (tried once): {fault}',
  download_failed: '{url} could not be downloaded (tried {times} times): {fault}',
  answered_status: 'the server answered with status {status}',
  too_many_redirects: '{url} redirects more than {most} times',
  download_too_large:
    '{url} is larger than 200 MB. Put the file into the upload directory, where files can be any size',

  // Sending
  remote_list_rehearsal:
    'the messages to a Remote List cannot be rehearsed, since their recipients are read when sending begins. Try the query on the page of the list',
  sending_cannot_continue: 'Sending cannot continue: {fault}',
  campaign_after_restore:
    'A backup was restored, and this campaign may have been sent after the backup was made. Check this before you continue it.',

  // The place of the data, backups and archives
  cannot_write: 'Cannot write to {directory}: {fault}. Choose another folder with --data-dir.',
  may_not_change_folder: 'you may not change this folder',
  disk_read_only: 'its disk is read-only',
  path_through_file: 'part of its path is a file',
  file_with_this_name: 'there is a file with this name',
  parent_folder_missing: 'its parent folder does not exist, or is read-only',
  place_on_network:
    '{folder} is on another computer ({system}). Files there can be lost or locked when the network fails. Keep the data on a local disk, and use that folder for backups.',
  place_copied:
    '{program} copies {folder} while it changes, which can damage the data. Keep the data in another folder, and use this one for backups.',
  backup_faulty: 'The backup cannot be used: {faults}',
  cannot_be_used: '{path} cannot be used: {faults}',
  passphrase_unreadable: 'The passphrase cannot be read from where it is kept. Enter it again.',
  folder_silent: 'The folder {folder} does not answer.',
  folder_missing: 'The folder {folder} is missing. Connect the drive it is on, or set up the copies again.',
  no_file: 'There is no file {path}.',
  file_exists: 'The file {path} already exists.',
  no_backup_or_damaged: '{path} is not a Listwright backup, or is damaged.',
  no_backup: '{path} is not a Listwright backup.',
  backup_of_newer: '{path} was written by a newer Listwright. Install that version to use it.',
  backup_of_unreleased: '{path} was written before the first release of Listwright, and cannot be used.',
  backup_of_other_version:
    '{path} was written by another version of Listwright. Restore it first, then export the data.',
  encrypted_file_differs: 'The encrypted file {path} cannot be read back as it was written.',
  no_passphrase_file: 'The file is not encrypted with a passphrase.',
  encrypted_file_changed: 'The encrypted file was changed, or is not all there.',
  wrong_passphrase: 'The passphrase is wrong.',
  passphrase_needed: 'The file is encrypted: its passphrase is needed.',
  restore_failed: 'The backup was not put in place: {fault}',
  no_room: '{what} needs {needed} MB of free space on the disk of {directory}, which has {free} MB.',
  archive_not_zip: 'The file is not a Listwright archive: it is not a ZIP file, or is damaged.',
  archive_lacks_manifest: 'The file is not a Listwright archive: it has no {name}.',
  manifest_of_others: 'The {name} in the archive was not written by Listwright.',
  manifest_schema: 'The {name} in the archive has an invalid schema version.',
  archive_of_newer: 'The archive was written by a newer Listwright. Install that version to use it.',
  archive_lacks_table: 'The archive does not contain {name}.',
  archive_line_too_long: 'The archive contains a line that is too long to be a record.',
  archive_line_no_object: 'Line {line} of {name} must be a JSON object.',
  archive_line_property: 'Line {line} of {name} has an unknown property "{property}".',
  archive_line_value: 'Line {line} of {name} has a value of "{column}" that is not {wanted}.',
  archive_line_cannot_be_stored: 'Line {line} of {name} cannot be stored: {fault}.',
  archive_changed: 'The archive was changed since it was written: {names}.',

  // Updates
  host_unreachable: '{host} cannot be reached',
  host_without_version: '{host} does not say which version is the latest',

  // The history log of a campaign
  log_began: 'Sending began through {servers}.',
  log_began_in_outbox: 'Writing to the outbox began.',
  log_preview: 'A preview was sent to {recipients}.',
  log_preview_in_outbox: 'A preview for {recipients} was written to the outbox.',
  log_preview_refused: 'A preview to {recipients} was not taken: {fault}',
  log_paused: 'Paused.',
  log_resumed: 'Continued.',
  log_cancelled: 'Cancelled.',
  log_speed: 'The speed was changed to {speed} messages an hour.',
  log_full_speed: 'The speed was changed to unlimited.',
  log_slowed: '{domain} asked for fewer messages and gets {count} a minute: “{words}”',
  log_waits_for_server: 'Waiting for the server: {fault}',
  log_waits_for_gate: 'Waiting for the gate: {fault}',
  log_waits_for_database: 'The recipients could not be read; next attempt in {minutes} min: {fault}',
  log_recipients_read: '{rows} rows were read in {seconds} s: {recipients} recipients, {skipped} skipped.',
  log_row_skipped: 'Skipped: {fault}',
  log_finished_without:
    'Finished. {count} recipients were left out: they are suppressed, or have unsubscribed, complained or bounced for good.',
  log_waits_for_quota: 'A limit of the server was reached. Sending continues as soon as it allows.',
  log_waits_for_retry: 'All others are done; refused messages are tried again.',
  log_held: 'Paused: {fault}',
  log_failed: 'Failed: {fault}',
  log_resent: '{count} uncertain messages are sent again.',
  log_finished: 'Finished.',
  campaign_cannot_change_speed: 'the speed of a campaign that is {state} cannot be changed',

  // Confirmation messages
  confirmation_code_missing: '{field} must contain {code}, the link that confirms',
  confirmation_repeated: 'the confirmation message to {email} was sent a second time already',
  confirmation_without_link:
    'Readers cannot open the link that confirms. Set up a link address under Delivery, and choose it in the settings of the list.',
  confirmation_without_sender: 'The list has no sender. Enter one in its settings.',

  // What the domain of a sender publishes
  preflight_no_dns: 'The DNS gave no answer. Check again when you are online.',
  sender_of_own_domain: 'The domain {domain} is your own.',
  sender_free_mail:
    'Mailbox providers refuse messages from {domain} that another server sends. Use a sender at a domain of your own.',
  sender_free_mail_by_provider:
    'Addresses at {domain} are free mailboxes: their provider limits how much you may send, and newsletters from them often land in the spam folder. A domain of your own is better.',
  spf_none:
    'The domain {domain} has no SPF record. Add a TXT record such as “v=spf1 include:… ~all”, as the service that sends for you tells you.',
  spf_several:
    'The domain {domain} has several SPF records, and then none of them counts. Join them into one.',
  spf_too_many_lookups:
    'The SPF record of {domain} needs {count} lookups, and receivers stop after {most}. Remove includes that you no longer need.',
  spf_allows_all: 'The SPF record of {domain} allows everyone to send for it. End it with ~all or -all.',
  spf_service_missing:
    'The SPF record of {domain} does not allow your server. Add “include:{include}” before its last part.',
  spf_found: 'The domain {domain} has an SPF record.',
  dkim_by_server: 'Your server signs messages itself.',
  dkim_none: 'Messages from {domain} are not signed. Make a DKIM key under Delivery.',
  dkim_record_missing:
    'The DNS has no TXT record {name} yet. Add it as shown; a new one can take an hour to be seen.',
  dkim_record_several: 'The DNS has several TXT records {name}. Keep only the one that is shown.',
  dkim_record_differs: 'The TXT record {name} holds another key. Replace it with the one that is shown.',
  dkim_record_right: 'The key is published as {name}.',
  dmarc_none:
    'The domain {domain} has no DMARC record, which large mailbox providers ask for. Add the TXT record _dmarc.{domain} with “v=DMARC1; p=none”.',
  dmarc_several: 'The domain {domain} has several DMARC records, and then none of them counts. Keep one.',
  dmarc_unreadable: 'The DMARC record of {domain} says no policy. It needs p=none, p=quarantine or p=reject.',
  dmarc_found: 'The domain {domain} has a DMARC record with the policy “{policy}”.',
  aligned_by_dkim: 'The signature belongs to {domain}, as DMARC asks.',
  aligned_by_spf: 'The return address belongs to {domain}, as DMARC asks.',
  aligned_by_server:
    'DMARC asks for a signature of {domain}. Have the service that signs for you sign with your domain.',
  not_aligned_without_spf:
    'The return address belongs to {domain}, but SPF does not confirm the server, and no signature does. Correct SPF, or sign your messages (DKIM).',
  not_aligned:
    'Neither the signature nor the return address belongs to {domain}. Make a DKIM key for it under Delivery.',
  not_aligned_refused:
    'Neither the signature nor the return address belongs to {domain}, whose DMARC policy is “{policy}”: most providers will refuse the messages. Make a DKIM key for it under Delivery.',
  bounces_taken: 'The return address at {domain} can take mail.',
  bounces_lost: 'The domain {domain} takes no mail, so bounces are lost. Choose another return address.',

  // Sending by SMTP
  dkim_selector:
    '{field} must be letters, digits and dashes such as listwright, because it becomes part of a DNS name; "{selector}" is not',
  dkim_key_unreadable:
    '{field} is not an RSA private key in PEM without a passphrase. It begins with -----BEGIN PRIVATE KEY----- or -----BEGIN RSA PRIVATE KEY-----',
  dkim_key_not_rsa:
    '{field} is a key of type {type}, and most mailbox providers check only RSA signatures. Use an RSA key of 2048 bits, or let Listwright make one',
  dkim_key_length: '{field} has {bits} bits, and must have {least} to {most}; 2048 are usual',
  dkim_key_locked:
    'The DKIM key of {domain} cannot be read right now. It is stored by the desktop or its keyring. Unlock it, or make a new key under Delivery.',
  mail_host: '{field} must be the name of a mail server such as smtp.example.com, and "{host}" is not one',
  smtp_unprotected:
    '{field} can be none only for a server on this computer: the password and all messages to {host} could be read on the way. Use tls or starttls',
  route_leads_to_server:
    '{name} cannot be deleted while these routes lead to it: {routes}. Choose another server for them first',
  smtp_unreachable: '{server} cannot be reached: {words}',
  smtp_sign_in_refused:
    '{server} refused the sign-in: “{words}”. Check the user name and the password under Delivery.',
  smtp_no_secret: 'The password for {server} is missing. Enter it again under Delivery.',
  smtp_secret_unreadable:
    'The password for {server} cannot be read right now. It is stored by the desktop or its keyring. Unlock it, or enter the password again under Delivery.',
  smtp_not_protected:
    '{server} offers no protected connection: “{words}”. Choose another security or port under Delivery.',
  smtp_sender_refused:
    '{server} refuses messages from {sender}: “{words}”. Use a sender that the server allows, or another server.',
  smtp_recipient_refused: '{server} did not take the message to {recipient}: “{words}”',
  smtp_all_refused:
    '{server} refused {count} recipients in a row: “{words}”. Find out why before you continue; the others have not been tried.',
  route_without_server:
    'The sending route “{route}” leads to no server that may send for {sender}. Choose one under Delivery.',
  unsubscribe_way_missing:
    'Messages to more than {most} recipients need a way to unsubscribe. Add the mailbox of your return address under Bounces, choose a gate as the link address, or, if another system handles unsubscribes, say so under Delivery.',

  // Sync: what a server does
  sync_stopped: 'The sync stopped: {fault}',
  key_unreadable: 'The key cannot be read right now. It is stored by the desktop or its keyring.',
  key_missing_here: 'The stored key was not found. Enter it again.',
  ended_twice:
    'The application ended twice while it synced with {name}. What the server answers may be the cause.',
  server_unreachable: '{host} cannot be reached: {fault}',
  nothing_answers: 'nothing answers at this address',
  no_such_server: 'there is no server of this name, or no network',
  no_network: 'there is no network',
  connection_cut: 'the connection was cut',
  no_answer: 'it does not answer',
  answer_stopped: 'it stopped in the middle of an answer',
  answer_cut_off: 'its answer was cut off',
  certificate_expired: 'its certificate has expired',
  certificate_self_made: 'its certificate is one that it made itself',
  certificate_untrusted: 'its certificate is not signed by anybody who is trusted',
  certificate_of_other_name: 'its certificate is for another name',
  answered_no_text: '{host} answered {path} with something other than text',
  key_not_accepted: '{host} did not accept this key',
  key_not_accepted_because: '{host} did not accept this key: {fault}',
  key_without_permission: 'The key does not have permission to do this on {host}',
  key_without_permission_because: 'The key does not have permission to do this on {host}: {fault}',
  server_status: '{host} answered with status {status}',
  server_status_because: '{host} answered with status {status}: {fault}',
  server_redirects:
    '{host} redirects to another address. Enter that address instead: the key is sent only to the address you enter',
  call_unknown: '{host} does not know this call',
  answer_not_of_api: '{host} gave an answer that is not from the API',
  refused_without_reason: '{host} refused it without giving a reason',
  answer_too_long: '{host} sent an answer of more than {megabytes} MB',
  answer_to_call_not_valid: '{host} answered {call} with data that is not valid: {fault}',
  answer_not_valid: '{host} answered with data that is not valid: {fault}',
  data_not_valid: 'the server answered with data that is not valid: {fault}',
  other_number_of_records: '{host} answered with {found} records where it says that there are {records}',
  no_number_of_records: '{host} answered with a {name} that is no number of records',
  token_no_text: '{host} answered with a next_page_token that is no text',
  subscribers_out_of_order: '{host} answered with subscriber {id} after subscriber {last}',
  empty_page: '{host} answered with an empty page that is not the last',
  too_many_records: '{host} has more than {most} records at {path}',
  import_paused_there: 'Import {id} was paused on the server. Continue or cancel it there',
  import_unfinished_there: 'Import {id} on the server did not finish: {fault}',
  import_stands_still_there: 'Import {id} on the server has not moved for half an hour. Look at it there',
  answered_with_other_data: 'The server answered for {email} with something other than what was requested',
  answered_with_other_record: 'The server answered for {what} "{name}" with a different record',
  segment_not_there: 'it uses a segment that is not on the server',
  conditions_not_there: 'it has conditions that the server does not support',
  unlike_keys: 'its subscribers are not mirrored, since the two lists have different primary keys',

  // Sync: what a user is asked
  list_gone: 'The list "{name}" is missing on the server.',
  subscribers_gone:
    '{gone} of the {count} subscribers of "{name}" are missing on the server. Was it restored from a backup?',
  subscribers_changed:
    '{changed} of the {count} subscribers of "{name}" would be unsubscribed or lose values, since the server says so. Is that meant?',
  fields_gone:
    '{gone} of the {count} custom fields are missing on the server. Removing a field removes what everyone has in it.',
  segments_gone: '{gone} of the {count} segments are missing on the server.'
} as const

import type { Migration } from '../migration.ts'

/** All tables. The steps that led here were taken before the first release, and are not kept. */
export const first: Migration = {
  version: 22,
  name: 'first',
  sql: `
    -- Organizations, their users, and who may call.

    CREATE TABLE organizations (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      time_zone_name TEXT NOT NULL DEFAULT 'UTC',
      subscriber_limit INTEGER,
      enforces_confirmed_opt_in INTEGER NOT NULL DEFAULT 0,
      anniversary_day INTEGER NOT NULL DEFAULT 1,
      html_header TEXT NOT NULL DEFAULT '',
      html_footer TEXT NOT NULL DEFAULT '',
      text_header TEXT NOT NULL DEFAULT '',
      text_footer TEXT NOT NULL DEFAULT '',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE users (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      full_name TEXT NOT NULL,
      full_name_key TEXT NOT NULL,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL,
      active INTEGER NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('system_admin', 'organization_admin', 'standard')),
      permissions TEXT NOT NULL DEFAULT '{}',
      show_quick_tips INTEGER NOT NULL DEFAULT 1,
      default_preview_recipients TEXT NOT NULL DEFAULT '[]',
      default_html_editor TEXT NOT NULL DEFAULT 'bee',
      terms_and_conditions_version INTEGER,
      time_zone TEXT,
      password_hash TEXT,
      password_failures INTEGER NOT NULL DEFAULT 0,
      password_failed_at INTEGER,
      locked_out_until INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX users_by_email_key ON users (email_key) WHERE deleted_at IS NULL;
    CREATE INDEX users_of_organization ON users (organization_id) WHERE deleted_at IS NULL;

    CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id INTEGER NOT NULL REFERENCES users (id),
      name TEXT NOT NULL,
      key_hash BLOB NOT NULL UNIQUE,
      last_used_at INTEGER,
      -- Keys of --json starts end with their process.
      ends_with_process INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX api_keys_of_organization ON api_keys (organization_id);
    CREATE INDEX api_keys_of_user ON api_keys (user_id);

    CREATE TABLE window_sessions (
      token_hash BLOB PRIMARY KEY,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id INTEGER NOT NULL REFERENCES users (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX window_sessions_of_user ON window_sessions (user_id);

    -- The configuration directives that were set, and secrets that this installation makes for itself.
    CREATE TABLE settings (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- What lists and campaigns send with.

    CREATE TABLE virtual_mtas (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;

    CREATE TABLE url_domains (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      domain TEXT NOT NULL,
      UNIQUE (organization_id, domain)
    ) STRICT;

    CREATE TABLE bounce_domains (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      domain TEXT NOT NULL,
      UNIQUE (organization_id, domain)
    ) STRICT;

    CREATE TABLE bounce_emails (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      bounce_domain_id INTEGER NOT NULL REFERENCES bounce_domains (id),
      username TEXT NOT NULL,
      UNIQUE (bounce_domain_id, username)
    ) STRICT;

    -- Connections of the delivery engine to remote databases; they belong to the installation, not to an organization.
    CREATE TABLE database_connections (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE seed_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      addresses TEXT NOT NULL DEFAULT '[]',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;

    -- Mailing lists and the counts of their subscribers.

    CREATE TABLE mailing_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      name TEXT NOT NULL,
      d_from_email TEXT,
      d_from_name TEXT,
      d_reply_to TEXT,
      d_sender_email TEXT,
      d_speed INTEGER NOT NULL DEFAULT 0,
      d_autowinner_enabled INTEGER NOT NULL DEFAULT 0,
      d_autowinner_percentage TEXT,
      d_autowinner_delay_amount INTEGER,
      d_autowinner_delay_unit TEXT,
      d_autowinner_metric TEXT,
      has_format INTEGER NOT NULL DEFAULT 0,
      has_confirmed INTEGER NOT NULL DEFAULT 0,
      custom_headers_enabled INTEGER NOT NULL DEFAULT 0,
      custom_headers TEXT NOT NULL DEFAULT '',
      primary_key_custom_field_id INTEGER REFERENCES custom_fields (id),
      preview_custom_field_data TEXT NOT NULL DEFAULT '{}',
      d_virtual_mta_id INTEGER REFERENCES virtual_mtas (id),
      d_url_domain_id INTEGER REFERENCES url_domains (id),
      d_bounce_email_id INTEGER REFERENCES bounce_emails (id),
      is_remote_list INTEGER NOT NULL DEFAULT 0,
      database_connection_id INTEGER REFERENCES database_connections (id),
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      purged_at INTEGER
    ) STRICT;
    CREATE INDEX mailing_lists_of_organization ON mailing_lists (organization_id) WHERE deleted_at IS NULL;
    CREATE INDEX mailing_lists_to_purge ON mailing_lists (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

    CREATE TABLE mailing_list_seed_lists (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      seed_list_id INTEGER NOT NULL REFERENCES seed_lists (id),
      PRIMARY KEY (mailing_list_id, seed_list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mailing_lists_of_seed_list ON mailing_list_seed_lists (seed_list_id);

    CREATE TABLE delete_confirmations (
      mailing_list_id INTEGER PRIMARY KEY REFERENCES mailing_lists (id),
      code TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE mailing_list_counts (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      status TEXT NOT NULL,
      subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
      PRIMARY KEY (mailing_list_id, status)
    ) STRICT, WITHOUT ROWID;

    -- Counts per block of 1024 ids, and in subscriber_block_groups per 128 blocks: a page of a list of ten million is found by
    -- adding up few rows.
    CREATE TABLE subscriber_blocks (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      block INTEGER NOT NULL,
      subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
      PRIMARY KEY (mailing_list_id, block)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE subscriber_block_groups (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      block_group INTEGER NOT NULL,
      subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
      PRIMARY KEY (mailing_list_id, block_group)
    ) STRICT, WITHOUT ROWID;

    -- Lists whose primary key is being changed; see api/mailing-lists/rekey-commands.ts.
    CREATE TABLE list_rekeys (
      mailing_list_id INTEGER PRIMARY KEY REFERENCES mailing_lists (id),
      custom_field_id INTEGER REFERENCES custom_fields (id),
      phase TEXT NOT NULL CHECK (phase IN ('collecting', 'applying', 'clearing')),
      after_id INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE rekey_entries (
      mailing_list_id INTEGER NOT NULL,
      key TEXT NOT NULL,
      subscriber_id INTEGER NOT NULL,
      PRIMARY KEY (mailing_list_id, key)
    ) STRICT, WITHOUT ROWID;

    -- Custom fields and subscribers.

    CREATE TABLE custom_fields (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      field_type TEXT NOT NULL,
      required INTEGER NOT NULL DEFAULT 0,
      instructions TEXT,
      attributes TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX custom_fields_on_list ON custom_fields (mailing_list_id, name_key)
      WHERE deleted_at IS NULL AND mailing_list_id IS NOT NULL;
    CREATE UNIQUE INDEX custom_fields_global ON custom_fields (organization_id, name_key)
      WHERE deleted_at IS NULL AND mailing_list_id IS NULL;

    CREATE TABLE custom_field_options (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      custom_field_id INTEGER NOT NULL REFERENCES custom_fields (id),
      name TEXT NOT NULL,
      position INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX custom_field_options_of_field ON custom_field_options (custom_field_id, position);

    -- Ids come from id_sequences: the writer hands them out in runs, and none is ever used twice.
    CREATE TABLE subscribers (
      id INTEGER PRIMARY KEY,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      email TEXT NOT NULL,
      email_key TEXT NOT NULL,
      -- The id of the custom field that is the list's primary key, a colon, and its value.
      alternate_key TEXT,
      status TEXT NOT NULL CHECK (status IN ('active', 'bounced', 'unsubscribed', 'scomp', 'deactivated')),
      confirmed INTEGER,
      email_format TEXT,
      subscribe_time INTEGER NOT NULL,
      subscribe_ip TEXT,
      remove_time INTEGER,
      remove_ip TEXT,
      custom_fields TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX subscribers_of_list ON subscribers (mailing_list_id);
    -- The primary key of a list is the email, or a custom field; an email may repeat only in the second case.
    CREATE UNIQUE INDEX subscribers_by_email_key ON subscribers (mailing_list_id, email_key)
      WHERE alternate_key IS NULL;
    CREATE INDEX subscribers_by_shared_email ON subscribers (mailing_list_id, email_key)
      WHERE alternate_key IS NOT NULL;
    CREATE UNIQUE INDEX subscribers_by_alternate_key ON subscribers (mailing_list_id, alternate_key)
      WHERE alternate_key IS NOT NULL;

    -- Stored segments have a name; ad hoc ones belong to the campaign or template that brought them.
    CREATE TABLE segments (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT,
      name_key TEXT,
      clause TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX segments_of_list ON segments (mailing_list_id);

    -- Imports, their undoing, and what is remembered for the next.

    CREATE TABLE subscriber_imports (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      state TEXT NOT NULL CHECK (state IN ('scheduled', 'downloading', 'splitting', 'importing', 'paused',
        'finished', 'failed', 'cancelled')),
      error_message TEXT,
      begins_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      settings TEXT NOT NULL,
      source_type TEXT NOT NULL,
      source_filename TEXT NOT NULL,
      source_path TEXT NOT NULL,
      source_fingerprint TEXT,
      number_of_records INTEGER,
      records_imported INTEGER NOT NULL DEFAULT 0,
      counts TEXT NOT NULL,
      logs_purged_at INTEGER,
      source_url TEXT,
      -- In which order its rows are written.
      row_order TEXT CHECK (row_order IN ('file', 'key')),
      retry_at INTEGER,
      -- Whether it was to begin at once: times tell nothing of it, since the clock may have been set back.
      begins_at_once INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX subscriber_imports_of_list ON subscriber_imports (mailing_list_id);
    CREATE INDEX subscriber_imports_of_organization ON subscriber_imports (organization_id);
    CREATE INDEX subscriber_imports_unfinished ON subscriber_imports (begins_at) WHERE finished_at IS NULL;

    CREATE TABLE import_batches (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      batch INTEGER NOT NULL,
      outcomes BLOB NOT NULL,
      rows INTEGER NOT NULL,
      PRIMARY KEY (subscriber_import_id, batch)
    ) STRICT;

    -- One row for each time the writer wrote some rows of an import. undone counts the subscribers that an undoing has
    -- dealt with: first the ids from first_added_id to last_added_id, then the entries of overwritten.
    CREATE TABLE import_changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      written_at INTEGER NOT NULL,
      first_added_id INTEGER,
      last_added_id INTEGER,
      overwritten BLOB,
      subscribers INTEGER NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX import_changes_of_import ON import_changes (subscriber_import_id);

    CREATE TABLE import_undos (
      subscriber_import_id INTEGER PRIMARY KEY REFERENCES subscriber_imports (id),
      total INTEGER NOT NULL,
      done INTEGER NOT NULL DEFAULT 0,
      removed INTEGER NOT NULL DEFAULT 0,
      restored INTEGER NOT NULL DEFAULT 0,
      kept INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER NOT NULL,
      finished_at INTEGER
    ) STRICT;
    CREATE INDEX import_undos_unfinished ON import_undos (subscriber_import_id) WHERE finished_at IS NULL;

    CREATE TABLE import_undo_kept (
      subscriber_import_id INTEGER NOT NULL REFERENCES subscriber_imports (id),
      subscriber_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      reason TEXT NOT NULL CHECK (reason IN ('changed', 'primary_key')),
      PRIMARY KEY (subscriber_import_id, subscriber_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE import_mappings (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      settings TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX import_mappings_by_name ON import_mappings (mailing_list_id, name_key);

    -- Where a column with this header went when the list was last imported into.
    CREATE TABLE remembered_columns (
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      header_key TEXT NOT NULL,
      target TEXT,
      PRIMARY KEY (mailing_list_id, header_key)
    ) STRICT, WITHOUT ROWID;

    -- Exports.

    CREATE TABLE subscriber_exports (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      state TEXT NOT NULL CHECK (state IN ('idle', 'estimating', 'exporting', 'paused', 'finished', 'failed',
        'cancelled')),
      error_message TEXT,
      settings TEXT NOT NULL,
      number_of_records INTEGER,
      records_exported INTEGER NOT NULL DEFAULT 0,
      after_id INTEGER NOT NULL DEFAULT 0,
      bytes_written INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER,
      finished_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX subscriber_exports_of_list ON subscriber_exports (mailing_list_id);
    CREATE INDEX subscriber_exports_of_organization ON subscriber_exports (organization_id);
    CREATE INDEX subscriber_exports_unfinished ON subscriber_exports (id) WHERE finished_at IS NULL;

    -- Campaigns, templates and how they are delivered.

    -- Templates are campaigns that are never sent. A deleted campaign stays, since the links of its messages lead on.
    CREATE TABLE campaigns (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      is_template INTEGER NOT NULL,
      name TEXT NOT NULL,
      segment_id INTEGER REFERENCES segments (id),
      remote_sql TEXT,
      deleted_at INTEGER,
      purged_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX campaigns_of_list ON campaigns (mailing_list_id, is_template);
    CREATE INDEX campaigns_of_segment ON campaigns (segment_id) WHERE segment_id IS NOT NULL;
    CREATE INDEX campaigns_to_purge ON campaigns (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

    CREATE TABLE campaign_contents (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      subject TEXT NOT NULL,
      format TEXT NOT NULL CHECK (format IN ('html', 'text', 'both')),
      html TEXT NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX campaign_contents_of_campaign ON campaign_contents (campaign_id);

    -- Delivery settings, and where the delivery stands. What is deleted was used by finished campaigns at most.
    CREATE TABLE dispatches (
      campaign_id INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('idle', 'scheduled', 'sending', 'finished', 'failed', 'cancelled')),
      error_message TEXT,
      paused INTEGER NOT NULL,
      virtual_mta_id INTEGER REFERENCES virtual_mtas (id) ON DELETE SET NULL,
      bounce_email_id INTEGER REFERENCES bounce_emails (id) ON DELETE SET NULL,
      url_domain_id INTEGER REFERENCES url_domains (id) ON DELETE SET NULL,
      speed INTEGER NOT NULL,
      track_opens INTEGER NOT NULL,
      track_links INTEGER NOT NULL,
      from_name TEXT,
      from_email TEXT,
      reply_to TEXT,
      sender_email TEXT,
      autowinner_enabled INTEGER NOT NULL,
      autowinner_percentage TEXT,
      autowinner_delay_amount INTEGER,
      autowinner_delay_unit TEXT,
      autowinner_metric TEXT,
      begins_at INTEGER,
      started_at INTEGER,
      finished_at INTEGER,
      -- When where its delivery stands changed last; null before the first change.
      updated_at INTEGER,
      begins_at_once INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX dispatches_to_do ON dispatches (begins_at) WHERE state IN ('scheduled', 'sending');

    CREATE TABLE dispatch_seed_lists (
      campaign_id INTEGER NOT NULL REFERENCES dispatches (campaign_id) ON DELETE CASCADE,
      seed_list_id INTEGER NOT NULL REFERENCES seed_lists (id) ON DELETE CASCADE,
      PRIMARY KEY (campaign_id, seed_list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dispatch_seed_lists_of_seed_list ON dispatch_seed_lists (seed_list_id);

    -- A campaign that has begun. The last id is the newest subscriber when it did: later ones get nothing.
    CREATE TABLE deliveries (
      campaign_id INTEGER PRIMARY KEY REFERENCES dispatches (campaign_id) ON DELETE CASCADE,
      phase TEXT NOT NULL CHECK (phase IN ('everybody', 'split_testing', 'decision_delay', 'winner')),
      last_id INTEGER NOT NULL,
      after_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      recipients INTEGER,
      decides_at INTEGER,
      winning_content_id INTEGER REFERENCES campaign_contents (id) ON DELETE SET NULL,
      -- Upper bounds of the shares of the contents, as JSON; null until they were drawn. See delivery/split-test.ts.
      shares TEXT,
      -- Whether the links of the contents are all in stat_links.
      has_links INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    -- Statistics.

    -- What is counted together: a campaign or an autoresponder. A slice is one of its contents.
    CREATE TABLE stats (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      campaign_id INTEGER UNIQUE REFERENCES campaigns (id) ON DELETE CASCADE,
      autoresponder_id INTEGER UNIQUE REFERENCES autoresponders (id) ON DELETE CASCADE,
      CHECK ((campaign_id IS NULL) <> (autoresponder_id IS NULL))
    ) STRICT;

    CREATE TABLE stat_slices (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_id INTEGER NOT NULL REFERENCES stats (id) ON DELETE CASCADE,
      content_id INTEGER UNIQUE REFERENCES campaign_contents (id) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX stat_slices_of_stat ON stat_slices (stat_id);

    -- By the hour of the organization's clock, so that days of its time zone can be told apart.
    CREATE TABLE stat_counters (
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      total_messages INTEGER NOT NULL DEFAULT 0,
      total_success INTEGER NOT NULL DEFAULT 0,
      total_failure INTEGER NOT NULL DEFAULT 0,
      total_failure_toolong INTEGER NOT NULL DEFAULT 0,
      messages_sent INTEGER NOT NULL DEFAULT 0,
      messages_html INTEGER NOT NULL DEFAULT 0,
      messages_text INTEGER NOT NULL DEFAULT 0,
      sent_text INTEGER NOT NULL DEFAULT 0,
      sent_html INTEGER NOT NULL DEFAULT 0,
      sent_multipart INTEGER NOT NULL DEFAULT 0,
      delivered INTEGER NOT NULL DEFAULT 0,
      skips_error INTEGER NOT NULL DEFAULT 0,
      skips_request INTEGER NOT NULL DEFAULT 0,
      bounces_total INTEGER NOT NULL DEFAULT 0,
      bounces_unique_hard INTEGER NOT NULL DEFAULT 0,
      bounces_unique_soft INTEGER NOT NULL DEFAULT 0,
      bounces_unique_other INTEGER NOT NULL DEFAULT 0,
      bounces_unique_local INTEGER NOT NULL DEFAULT 0,
      bounces_unique_remote INTEGER NOT NULL DEFAULT 0,
      bounces_status_updated INTEGER NOT NULL DEFAULT 0,
      clicks_total INTEGER NOT NULL DEFAULT 0,
      clicks_unique INTEGER NOT NULL DEFAULT 0,
      clicks_unique_by_link INTEGER NOT NULL DEFAULT 0,
      opens_total INTEGER NOT NULL DEFAULT 0,
      opens_unique INTEGER NOT NULL DEFAULT 0,
      scomps_total INTEGER NOT NULL DEFAULT 0,
      scomps_unique INTEGER NOT NULL DEFAULT 0,
      scomps_status_updated INTEGER NOT NULL DEFAULT 0,
      unsubs_total INTEGER NOT NULL DEFAULT 0,
      unsubs_unique INTEGER NOT NULL DEFAULT 0,
      unsubs_status_updated INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (stat_slice_id, hour)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stat_links (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      url TEXT NOT NULL,
      UNIQUE (stat_slice_id, url)
    ) STRICT;

    -- What recipients did. Their email is kept: the subscriber may be removed.
    CREATE TABLE stat_events (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      type TEXT NOT NULL CHECK (type IN ('open', 'click', 'bounce', 'scomp', 'unsub')),
      subscriber_id INTEGER NOT NULL,
      email TEXT NOT NULL,
      is_unique INTEGER NOT NULL,
      link_id INTEGER REFERENCES stat_links (id) ON DELETE CASCADE,
      is_unique_of_link INTEGER,
      bounce_code TEXT,
      ip TEXT,
      occurred_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX stat_events_of_subscriber ON stat_events (stat_slice_id, type, subscriber_id);
    CREATE INDEX stat_events_of_link ON stat_events (link_id) WHERE link_id IS NOT NULL;

    -- The counts by which an automatic winner selection decided.
    CREATE TABLE stat_snapshots (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      stat_slice_id INTEGER NOT NULL REFERENCES stat_slices (id) ON DELETE CASCADE,
      snapshot_group TEXT NOT NULL,
      counts TEXT NOT NULL,
      taken_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX stat_snapshots_of_slice ON stat_snapshots (stat_slice_id);

    -- Autoresponders and forms.

    CREATE TABLE autoresponders (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      paused_at INTEGER,
      trigger TEXT NOT NULL CHECK (trigger IN ('subscription', 'campaign_open', 'autoresponder_open',
        'autoresponder_nonopen', 'autoresponder_send', 'api')),
      delay TEXT NOT NULL CHECK (delay IN ('immediately', 'with_delay')),
      delay_amount INTEGER NOT NULL,
      delay_unit TEXT,
      delay_time INTEGER NOT NULL,
      trigger_include_subscribers_from_import INTEGER NOT NULL,
      trigger_run_on_api INTEGER NOT NULL,
      trigger_autoresponder_to_open_id INTEGER REFERENCES autoresponders (id),
      use_external_delivery_setting INTEGER NOT NULL,
      bounce_email_id INTEGER REFERENCES bounce_emails (id),
      from_name TEXT,
      from_email TEXT,
      virtual_mta_id INTEGER REFERENCES virtual_mtas (id),
      url_domain_id INTEGER REFERENCES url_domains (id),
      track_opens INTEGER NOT NULL,
      track_links INTEGER NOT NULL,
      content_subject TEXT NOT NULL,
      content_format TEXT NOT NULL,
      content_html TEXT NOT NULL,
      content_text TEXT NOT NULL,
      segmentation_criteria_id INTEGER REFERENCES segments (id),
      trigger_campaign_to_open_id INTEGER REFERENCES campaigns (id),
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (mailing_list_id, name_key)
    ) STRICT;
    CREATE INDEX autoresponders_of_segment ON autoresponders (segmentation_criteria_id)
      WHERE segmentation_criteria_id IS NOT NULL;

    -- Messages that are to be sent to single subscribers: what triggered autoresponders leave for the delivery.
    CREATE TABLE autoresponder_reactions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      autoresponder_id INTEGER NOT NULL REFERENCES autoresponders (id) ON DELETE CASCADE,
      subscriber_id INTEGER NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
      due_at INTEGER NOT NULL,
      content_replacement_fields TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX autoresponder_reactions_of_subscriber ON autoresponder_reactions (subscriber_id);
    CREATE INDEX autoresponder_reactions_of_autoresponder ON autoresponder_reactions (autoresponder_id);

    CREATE TABLE web_forms (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      requires_confirmation INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX web_forms_of_list ON web_forms (mailing_list_id);

    -- Subscribers to be, until they confirm; subscriber holds what the request gave.
    CREATE TABLE pending_subscriptions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      mailing_list_id INTEGER NOT NULL REFERENCES mailing_lists (id),
      web_form_id INTEGER NOT NULL REFERENCES web_forms (id) ON DELETE CASCADE,
      email TEXT NOT NULL,
      email_key TEXT NOT NULL,
      subscriber TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pending_subscriptions_of_list ON pending_subscriptions (mailing_list_id, email_key);
    CREATE INDEX pending_subscriptions_of_form ON pending_subscriptions (web_form_id);

    -- Suppression lists.

    CREATE TABLE suppression_lists (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      mailing_list_id INTEGER REFERENCES mailing_lists (id),
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      addresses INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (organization_id, name_key)
    ) STRICT;

    -- The three types of key never look alike: an address, "@domain", and 32 hexadecimal digits.
    CREATE TABLE suppressed_addresses (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      suppression_list_id INTEGER NOT NULL REFERENCES suppression_lists (id) ON DELETE CASCADE,
      user_id INTEGER NOT NULL REFERENCES users (id),
      email TEXT NOT NULL,
      key TEXT NOT NULL,
      address_type TEXT NOT NULL CHECK (address_type IN ('a', 'd', 'm')),
      UNIQUE (suppression_list_id, key)
    ) STRICT;
    CREATE INDEX suppressed_addresses_by_id ON suppressed_addresses (suppression_list_id, id);

    -- Requests for many addresses, which are written piece by piece; addresses holds a line for each.
    CREATE TABLE suppression_requests (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      suppression_list_id INTEGER NOT NULL REFERENCES suppression_lists (id) ON DELETE CASCADE,
      user_id INTEGER NOT NULL REFERENCES users (id),
      addresses TEXT NOT NULL,
      done INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE suppressed_address_imports (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      suppression_list_id INTEGER NOT NULL REFERENCES suppression_lists (id) ON DELETE CASCADE,
      user_id INTEGER NOT NULL REFERENCES users (id),
      state TEXT NOT NULL CHECK (state IN ('idle', 'scheduled', 'splitting', 'importing', 'paused', 'finished',
        'failed', 'cancelled')),
      error_message TEXT,
      source_filename TEXT NOT NULL,
      source_path TEXT NOT NULL,
      source_fingerprint TEXT NOT NULL,
      file_format TEXT NOT NULL,
      number_of_records INTEGER,
      records_read INTEGER NOT NULL DEFAULT 0,
      addresses_added INTEGER NOT NULL DEFAULT 0,
      records_skipped INTEGER NOT NULL DEFAULT 0,
      started_at INTEGER,
      finished_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX suppressed_address_imports_of_list ON suppressed_address_imports (suppression_list_id);
    CREATE INDEX suppressed_address_imports_unfinished ON suppressed_address_imports (id) WHERE finished_at IS NULL;

    -- Ids that are handed out, and what has changed.

    CREATE TABLE id_sequences (
      name TEXT PRIMARY KEY,
      next_id INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO id_sequences (name, next_id) VALUES ('subscribers', 1);

    CREATE TABLE change_log (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      entity TEXT NOT NULL,
      action TEXT NOT NULL CHECK (action IN ('create', 'update', 'delete')),
      organization_id INTEGER NOT NULL,
      mailing_list_id INTEGER,
      first_id INTEGER NOT NULL,
      last_id INTEGER NOT NULL
    ) STRICT;
  `
}

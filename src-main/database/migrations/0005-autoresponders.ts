import type { Migration } from '../migration.ts'

/** Autoresponders and the queue that they feed, subscription forms, and who has yet to confirm. */
export const autoresponders: Migration = {
  version: 5,
  name: 'autoresponders',
  sql: `
    ALTER TABLE organizations ADD COLUMN enforces_confirmed_opt_in INTEGER NOT NULL DEFAULT 0;

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
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (mailing_list_id, name_key)
    ) STRICT;

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
  `
}

import type { Migration } from '../migration.ts'

/**
 * Windows that are listed and end with the API key that opened them. Those of earlier versions end: their tokens stood in cookies, which
 * browsers sent to other programs on this computer.
 */
export const windowSessions: Migration = {
  version: 39,
  name: 'window sessions',
  sql: `
    DROP TABLE window_sessions;
    CREATE TABLE window_sessions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      token_hash BLOB NOT NULL UNIQUE,
      organization_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id INTEGER NOT NULL REFERENCES users (id),
      api_key_id INTEGER REFERENCES api_keys (id) ON DELETE CASCADE,
      user_agent TEXT,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX window_sessions_of_user ON window_sessions (user_id);
    CREATE INDEX window_sessions_of_api_key ON window_sessions (api_key_id) WHERE api_key_id IS NOT NULL;
  `
}

import type { Migration } from '../migration.ts'

/**
 * Requests for many addresses are written in parts: each step used to read the whole rest, which took minutes
 * for a million.
 */
export const suppressionParts: Migration = {
  version: 41,
  name: 'suppression parts',
  sql: `
    CREATE TABLE suppression_request_parts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      request_id INTEGER NOT NULL REFERENCES suppression_requests (id) ON DELETE CASCADE,
      addresses TEXT NOT NULL
    ) STRICT;
    CREATE INDEX suppression_request_parts_of_request ON suppression_request_parts (request_id, id);
    INSERT INTO suppression_request_parts (request_id, addresses)
      SELECT id, substr(addresses, done + 1) FROM suppression_requests;
    ALTER TABLE suppression_requests DROP COLUMN addresses;
    ALTER TABLE suppression_requests DROP COLUMN done;
  `
}

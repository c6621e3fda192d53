import type { Database } from 'better-sqlite3'
import type { Command } from '../../database/command.ts'

// Changes of subscribers are recorded by triggers, so that none is missed: the API, imports, bulk actions, sync, links and bounces all
// change them. The triggers cost an import a third of its speed, so they exist only while a webhook or a follower wants these events, and
// only on the writer's connection, where neither a restored backup nor a migration sets them off.

/** A subscriber as RowChange of tables.ts has it. */
function rowJson(row: 'NEW' | 'OLD'): string {
  const columns = [
    ...['id', 'mailing_list_id', 'email', 'created_at', 'email_format'],
    ...['confirmed', 'status', 'subscribe_time', 'subscribe_ip', 'custom_fields']
  ]
  return `json_object(${columns.map((column) => `'${column}', ${row}.${column}`).join(', ')})`
}

const values = (type: string, body: string): string => `
  INSERT INTO events (organization_id, type, mailing_list_id, subscriber_id, recorded_at, body)
  SELECT mailing_lists.organization_id, '${type}', NEW.mailing_list_id, NEW.id,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), ${body}
  FROM mailing_lists JOIN recorded_organizations ON recorded_organizations.id = mailing_lists.organization_id
  WHERE mailing_lists.id = NEW.mailing_list_id;`

/** The columns that an answer shows: a new key alone, or a new time of change, is no event. */
const shown = [
  'email',
  'status',
  'confirmed',
  'email_format',
  'subscribe_time',
  'subscribe_ip',
  'custom_fields'
]

const createTriggers = `
  CREATE TEMP TRIGGER IF NOT EXISTS record_created AFTER INSERT ON main.subscribers
  BEGIN ${values('studio_subscriber_created', `json_object('after', ${rowJson('NEW')})`)}
  END;
  CREATE TEMP TRIGGER IF NOT EXISTS record_updated AFTER UPDATE ON main.subscribers
  WHEN ${shown.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ')}
  BEGIN ${values('studio_subscriber_updated', `json_object('before', ${rowJson('OLD')}, 'after', ${rowJson('NEW')})`)}
  END;`

const dropTriggers = `
  DROP TRIGGER IF EXISTS record_created;
  DROP TRIGGER IF EXISTS record_updated;`

/** Records changes of subscribers for the organizations whose webhooks want them, and for those that are followed. */
export function updateRecording(sqlite: Database): void {
  sqlite.exec(`
    CREATE TEMP TABLE IF NOT EXISTS followed_organizations (id INTEGER PRIMARY KEY);
    CREATE TEMP TABLE IF NOT EXISTS recorded_organizations (id INTEGER PRIMARY KEY);
    DELETE FROM recorded_organizations;
    INSERT INTO recorded_organizations
    SELECT id FROM followed_organizations
    UNION SELECT organization_id FROM webhooks, json_each(event_types)
      -- One that Listwright has disabled goes on where it was.
      WHERE (is_enabled = 1 OR disabled_at IS NOT NULL) AND value LIKE 'studio_subscriber_%';`)
  const isWanted = sqlite.prepare('SELECT 1 FROM recorded_organizations').get() !== undefined
  sqlite.exec(isWanted ? createTriggers : dropTriggers)
}

/** Records for the organizations that are followed now, and no longer for others that were. */
export const followOrganizations: Command<{ organizationIds: number[] }, void> = async (
  { sqlite },
  { organizationIds }
) => {
  updateRecording(sqlite)
  sqlite.exec('DELETE FROM followed_organizations')
  const insert = sqlite.prepare('INSERT INTO followed_organizations VALUES (?)')
  for (const id of organizationIds) insert.run(id)
  updateRecording(sqlite)
}

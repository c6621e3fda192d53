import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { ImportRow } from './queries.ts'

/**
 * The name of the file of an import, or of the import that it corrects, with the host if it was downloaded;
 * null for content of a request.
 */
export type ImportName = string | null

/** Returns the host and file name of an address, without a password or token that it may contain. */
function nameOfAddress(url: string): string {
  const { host = '', pathname = '' } = URL.parse(url) ?? {}
  const file = pathname.split('/').filter(Boolean).at(-1)
  return file === undefined ? host : `${host}/${decoded(file)}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // The percent sign is not an escape.
    return part
  }
}

/** Returns the names of imports; a correction has the name of the corrected import. */
export async function importNames(
  db: Kysely<Schema>,
  ids: readonly number[]
): Promise<Map<number, ImportName>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<
    Pick<ImportRow, 'source_type' | 'source_filename' | 'source_url'> & { id: number }
  >`
    WITH RECURSIVE origin (id, of_id) AS (
      SELECT id, id FROM subscriber_imports WHERE id IN (${sql.join(ids)})
      UNION ALL
      SELECT origin.id, corrects_id FROM origin
      JOIN import_corrections ON import_corrections.subscriber_import_id = origin.of_id
    )
    SELECT origin.id, source_type, source_filename, source_url FROM origin
    JOIN subscriber_imports ON subscriber_imports.id = origin.of_id
    WHERE NOT EXISTS (SELECT 1 FROM import_corrections WHERE subscriber_import_id = origin.of_id)`.execute(db)
  return new Map(
    rows.map(({ id, source_type, source_filename, source_url }) => [
      id,
      source_type === 'json' ? null : source_url === null ? source_filename : nameOfAddress(source_url)
    ])
  )
}

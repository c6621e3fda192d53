import { type Kysely, sql } from 'kysely'
import { type ImportName, importNames } from '../api/subscriber-imports/name-queries.ts'
import type { ImportCounts, ImportState } from '../api/subscriber-imports/schema.ts'
import type { Schema } from '../database/schema.ts'

export interface LinkedImport {
  id: number
  name: ImportName
  state: ImportState
  counts: ImportCounts
  /** The import whose failed rows this one corrects. */
  correctsId: number | null
  /** The number of its own failed rows that were corrected since. */
  corrected: number
  /** True if it was undone completely. */
  isUndone: boolean
}

/** Imports with what they correct, and how many of their failed rows were corrected, by id. */
export async function linkedImports(
  db: Kysely<Schema>,
  ids: readonly number[]
): Promise<Map<number, LinkedImport>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('subscriber_imports')
    .leftJoin('import_corrections', 'import_corrections.subscriber_import_id', 'subscriber_imports.id')
    .leftJoin('import_undos', 'import_undos.subscriber_import_id', 'subscriber_imports.id')
    .select(['id', 'source_type', 'source_filename', 'source_url', 'state', 'counts', 'corrects_id'])
    .select('import_undos.finished_at as undone_at')
    .select((select) =>
      select
        .selectFrom('import_corrections as later')
        .innerJoin('subscriber_imports as correction', 'correction.id', 'later.subscriber_import_id')
        .whereRef('later.corrects_id', '=', 'subscriber_imports.id')
        .where('correction.state', 'not in', givenUp)
        .where('correction.id', 'not in', (undone) =>
          undone.selectFrom('import_undos').select('subscriber_import_id')
        )
        .select(sql<number | null>`sum(json_array_length(later.places))`.as('corrected'))
        .as('corrected')
    )
    .where('id', 'in', [...ids])
    .execute()
  const names = await importNames(
    db,
    rows.map(({ id }) => id)
  )
  return new Map(
    rows.map(({ id, state, counts, corrects_id, corrected, undone_at }) => [
      id,
      {
        id,
        name: names.get(id) ?? null,
        state,
        counts: JSON.parse(counts) as ImportCounts,
        correctsId: corrects_id,
        corrected: corrected ?? 0,
        isUndone: undone_at !== null
      }
    ])
  )
}

/** After these states the rows must be corrected again: it is unknown which of them were written. */
const givenUp: ImportState[] = ['cancelled', 'failed']

interface Correction {
  id: number
  /** The positions of the corrected rows in the log of the import that is being corrected. */
  places: number[]
  /** False if they do not count as corrected: the import failed, was cancelled or undone. */
  stands: boolean
}

/** The imports that correct rows of an import, the oldest first. */
export async function correctionsOf(db: Kysely<Schema>, importId: number): Promise<Correction[]> {
  const rows = await db
    .selectFrom('import_corrections')
    .innerJoin('subscriber_imports', 'subscriber_imports.id', 'import_corrections.subscriber_import_id')
    .leftJoin('import_undos', 'import_undos.subscriber_import_id', 'subscriber_imports.id')
    .select(['subscriber_imports.id', 'places', 'state', 'import_undos.started_at as undone_at'])
    .where('corrects_id', '=', importId)
    .orderBy('subscriber_imports.id')
    .execute()
  return rows.map(({ id, places, state, undone_at }) => ({
    id,
    places: JSON.parse(places) as number[],
    stands: !givenUp.includes(state) && undone_at === null
  }))
}

export async function correctedPlaces(db: Kysely<Schema>, importId: number): Promise<Set<number>> {
  const corrections = await correctionsOf(db, importId)
  return new Set(corrections.filter(({ stands }) => stands).flatMap(({ places }) => places))
}

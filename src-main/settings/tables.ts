import type { Json } from '../database/schema.ts'

/** The configuration directives and secrets of this installation, by name. */
export interface SettingsTable {
  name: string
  value: Json
}

declare module '../database/schema.ts' {
  interface Schema {
    settings: SettingsTable
  }
  interface ChangedEntities {
    settings: unknown
  }
}

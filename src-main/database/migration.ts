/** One step of the schema. Its SQL runs in one transaction together with the new version number. */
export interface Migration {
  version: number
  name: string
  sql: string
  /** Whether it makes tables anew that others refer to: foreign keys are then checked at its end instead of at each statement. */
  rebuildsTables?: true
}

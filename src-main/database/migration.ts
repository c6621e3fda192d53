/** One step of the schema. Its SQL runs in one transaction together with the new version number. */
export interface Migration {
  version: number
  name: string
  sql: string
  /** Whether it rebuilds tables that others refer to. Foreign keys are then checked when it is done, not after each statement. */
  rebuildsTables?: true
}

/** One step of the schema. Its SQL and the new version number are one transaction. */
export interface Migration {
  version: number
  name: string
  sql: string
  /**
   * True if it rebuilds referenced tables. Foreign keys are then checked at its end instead of after each
   * statement.
   */
  rebuildsTables?: true
}

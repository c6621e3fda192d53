/** What codes of a message can name: a custom field, or a column of a Remote List's query. */
export interface MergeField {
  name: string
}

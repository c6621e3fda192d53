/** Returns a draft with the values of a record; a blank one gets the value of the blank draft. */
export function fillDraft<Draft extends object>(
  blank: Draft,
  record: { readonly [Key in keyof Draft]?: unknown }
): Draft {
  const filled = { ...blank }
  // A record's values have the types of the draft, as both follow the schema of its endpoint.
  for (const key of Object.keys(blank) as (keyof Draft)[]) {
    filled[key] = (record[key] as Draft[typeof key] | null | undefined) ?? blank[key]
  }
  return filled
}

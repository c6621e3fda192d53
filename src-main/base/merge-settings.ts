/**
 * The effect of a request, which may leave a setting out, on the stored value:
 * `value` = null clears it; `required` = null is ignored, as it cannot be blank; `flag` = a boolean stored as
 * 0 or 1.
 */
export type SettingRule = 'value' | 'required' | 'flag'

/**
 * Merges a request into stored settings. The request is already validated by its schema.
 * @param rules a rule for each setting, which a forgotten one fails to compile
 */
export function mergeSettings<Key extends string, Settings extends { readonly [Each in Key]: unknown }>(
  rules: Readonly<Record<Key, SettingRule>>,
  before: Settings,
  given: { readonly [Each in NoInfer<Key>]?: Settings[Each] | boolean | null | undefined }
): Pick<Settings, Key> {
  const after = {} as Pick<Settings, Key>
  for (const key of Object.keys(rules) as Key[]) {
    const change = given[key]
    const isKept = change === undefined || (change === null && rules[key] !== 'value')
    // A flag is stored as a number; every other value has the type of its column, as the schema says.
    const value = typeof change === 'boolean' ? Number(change) : change
    after[key] = isKept ? before[key] : (value as Settings[Key])
  }
  return after
}

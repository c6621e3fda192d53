/** The options of a time zone select; UTC comes first. */
export function timeZones(): { value: string; label: string }[] {
  const names = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  return ['UTC', ...names].map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}

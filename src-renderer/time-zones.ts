/** What a select of time zones offers; UTC stands first. */
export function timeZones(): { value: string; label: string }[] {
  const names = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  return ['UTC', ...names].map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}

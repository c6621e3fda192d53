/** The System Organization (docs/api.md, "Organizations"). */
export const systemOrganizationId = 1

/** The complaint about a time zone that is none, as the rest of a sentence that begins with the field's name. */
export function timeZoneComplaint(name: string): string {
  return `must be one of the IANA time zones, such as Europe/Zurich, and "${name}" is not one`
}

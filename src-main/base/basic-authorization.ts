/** The Authorization header of a program with an API key (docs/api.md, "Who may call"). */
export function basicAuthorization(organizationId: number, apiKey: string): string {
  return `Basic ${Buffer.from(`${organizationId}:${apiKey}`).toString('base64')}`
}

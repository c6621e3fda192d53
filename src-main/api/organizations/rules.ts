/** docs/api.md, "Organizations". */
export const systemOrganizationId = 1

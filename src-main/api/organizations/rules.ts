/** The System Organization (spec, "What the service does"). */
export const systemOrganizationId = 1

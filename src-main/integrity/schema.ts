/** The state of the database: not examined yet, unchanged, or changed by something else. */
export const integrityStates = ['checking', 'sound', 'damaged'] as const
export type IntegrityState = (typeof integrityStates)[number]

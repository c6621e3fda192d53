/** Whether the database is what was written to it: not known yet, so far as is known, or not. */
export const integrityStates = ['checking', 'sound', 'damaged'] as const
export type IntegrityState = (typeof integrityStates)[number]

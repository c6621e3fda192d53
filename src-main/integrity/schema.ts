/** Whether the database was changed by something else: not known yet, no, or yes. */
export const integrityStates = ['checking', 'sound', 'damaged'] as const
export type IntegrityState = (typeof integrityStates)[number]

/** Days for which a draft is kept after its last change. */
export const draftDays = 30

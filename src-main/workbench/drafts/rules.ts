/** How long a draft is kept after its last change, in days. */
export const draftDays = 30

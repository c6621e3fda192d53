/** How long a draft stays after it was last changed, in days. */
export const draftDays = 30

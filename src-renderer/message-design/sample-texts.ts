/** The texts of `starters.ts` that a person is to replace, by their keys. */
export const sampleTexts = ['headline', 'longText', 'shortText', 'firstStory', 'secondStory'] as const

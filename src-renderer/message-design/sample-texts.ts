import { sentencesOfAllLanguages } from '../i18n.ts'

/** The texts of `starters.ts` that a person is to replace, by their keys. */
const sampleTexts = ['headline', 'longText', 'shortText', 'firstStory', 'secondStory'] as const

/** Returns them in every language: a message may have been begun in another one than the window's. */
export async function sampleTextsOfAllLanguages(): Promise<string[]> {
  const languages = await sentencesOfAllLanguages()
  return languages.flatMap(({ starter }) => sampleTexts.map((key) => starter[key]))
}

import { type Language, languageOfTag, languages } from '../base/languages.ts'

const option = '--language'

export const languageHelp = `${Object.keys(languages).join(' or ')}, for why something failed (default: that of LANG)`

/**
 * Takes the language of what people read from the options of a command: that of --language, else the environment's.
 * @throws Error if --language names none
 */
export function takeLanguage(args: readonly string[]): { language: Language; rest: string[] } {
  const index = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`))
  if (index === -1) return { language: languageOfEnvironment(), rest: [...args] }
  const isSeparate = args[index] === option
  const tag = isSeparate ? args[index + 1] : args[index]?.slice(option.length + 1)
  const language = languageOfTag(tag ?? '')
  if (language === null) {
    throw new Error(`${option} must be one of ${Object.keys(languages).join(', ')}, not "${tag ?? ''}"`)
  }
  return { language, rest: args.toSpliced(index, isSeparate ? 2 : 1) }
}

/** Returns the language of the environment's messages; English if Listwright has no texts in it. */
export function languageOfEnvironment(): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env
  // An empty variable does not count, as in other programs.
  const tag = [LC_ALL, LC_MESSAGES, LANG].find((each) => each !== undefined && each !== '') ?? ''
  return languageOfTag(tag) ?? 'en'
}

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { messageOf } from '../base/errors.ts'
import type { Language } from '../base/languages.ts'
import { defaultDataDirectory } from './arguments.ts'
import { languageHelp } from './language.ts'

// What all commands of `listwright COMMAND …` have in common: where the data is, and how they answer people and programs.

/** The output of a command for programs and for people. */
export interface Printed {
  json: object
  text: string
  /** The status with which the process ends, if not 0: 1 for a check that found something or a comparison that differs. */
  status?: number
}

/** A command of `listwright`. */
export interface Command {
  /** The output of `--help`. */
  usage: string
  /** @param args what follows its name. @throws Error with a sentence for the user */
  run: (args: string[]) => Promise<void>
}

export const commonOptions = {
  'data-dir': { type: 'string', default: defaultDataDirectory() },
  json: { type: 'boolean', default: false }
} as const satisfies ParseArgsOptionsConfig

export const commonUsage = `  --data-dir DIR  where the data is stored (default: ${defaultDataDirectory()})
  --json          print one line of JSON at the end, {"error": "…"} on failure
  --language LANG ${languageHelp}
`

/** A command that does something, prints what came of it, and ends. */
export function answeringCommand<Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  answer: (
    values: ReturnType<
      typeof parseArgs<{ options: typeof commonOptions & Options; allowPositionals: true }>
    >['values'],
    positionals: string[]
  ) => Promise<Printed>
): Command {
  return {
    usage,
    run: async (args) => {
      const { values, positionals } = parseArgs({
        args,
        options: { ...commonOptions, ...options },
        allowPositionals: true
      })
      requireDirectory((values as { 'data-dir': string })['data-dir'])
      const { json, text, status } = await answer(values, positionals)
      process.stdout.write(args.includes('--json') ? `${JSON.stringify(json)}\n` : `${text}\n`)
      if (status !== undefined) process.exitCode = status
    }
  }
}

/** @throws Error for a name that a script left empty: it would be the current folder. */
export function requireDirectory(name: string | boolean): void {
  if (typeof name !== 'string' || name.trim() === '')
    throw new Error('--data-dir must name a folder; it is empty')
}

/** Reports an error to people in their language, and to programs on standard output; the process ends with status 1. */
export async function reportFailure(error: unknown, args: string[], language: Language): Promise<void> {
  process.exitCode = 1
  // The sentences of all languages, which a command that succeeds never needs.
  const { explainError } = await import('../base/refusals/languages.ts')
  process.stderr.write(`${explainError(error, language)}\n`)
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error: messageOf(error) })}\n`)
}

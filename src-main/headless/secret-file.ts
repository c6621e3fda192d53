import { existsSync, readFileSync } from 'node:fs'

/**
 * Reads a secret from a file; on a command line it would be visible to all programs.
 * @param option names the file, such as key-file; "-" is standard input
 * @param what the secret, in a sentence
 * @throws Error with a sentence if the file is missing, empty or no text
 */
export function secretIn(option: string, what: string, path: string): string {
  if (path !== '-' && !existsSync(path))
    throw new Error(`--${option} must name a file that contains the ${what}; there is no file ${path}`)
  const secret = textOf(readFileSync(path === '-' ? 0 : path))?.replace(/\r?\n$/, '')
  if (secret === undefined)
    throw new Error(`--${option} must contain a ${what} as UTF-8 text; ${path} is not UTF-8`)
  if (secret.trim() === '') throw new Error(`--${option} must contain a ${what}; ${path} is empty`)
  return secret
}

/** Text in UTF-8, without the mark that some editors begin it with; undefined for other bytes, which would all become the same letter. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

import { existsSync, readFileSync } from 'node:fs'

/**
 * What a file holds that nobody else should see, which a command line would show to every program: a key, or a passphrase.
 * @param option names the file, such as key-file; "-" is standard input
 * @param what it holds, in a sentence
 * @throws Error with a sentence where there is no such file, or it is empty
 */
export function secretIn(option: string, what: string, path: string): string {
  if (path !== '-' && !existsSync(path))
    throw new Error(`--${option} must name a file that contains the ${what}; there is no file ${path}`)
  const secret = readFileSync(path === '-' ? 0 : path, 'utf8').replace(/\r?\n$/, '')
  if (secret.trim() === '') throw new Error(`--${option} must contain a ${what}; ${path} is empty`)
  return secret
}

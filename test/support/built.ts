import { globSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Sources from '../../src-main/app.ts'

/** Looked at once: a file of tests may start many applications. */
const isCurrent = isBuildCurrent()

function isBuildCurrent(): boolean {
  const builtAt = statSync('out/main/listwright.js', { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = ['electron.vite.config.ts', 'package-lock.json', ...globSync('src-main/**/*.ts')]
  return sources.every((path) => statSync(path).mtimeMs < builtAt)
}

/**
 * The program that users start, where it was built from the sources as they are; else its source, which takes twice as
 * long to start.
 */
export const entryPoint = isCurrent ? 'out/main/listwright.js' : 'src-main/headless/listwright.ts'

const path = resolve(isCurrent ? 'out/main/app.js' : 'src-main/app.ts')

/** The application within the process of the tests, from the build as above. */
export const { createApp } = (await import(pathToFileURL(path).href)) as typeof Sources

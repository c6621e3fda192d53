import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where package.json lies: above the sources, and above what is built from them. */
export const packageDirectory = directoryWith('package.json', import.meta.dirname)

function directoryWith(name: string, directory: string): string {
  const above = dirname(directory)
  return existsSync(join(directory, name)) || above === directory ? directory : directoryWith(name, above)
}

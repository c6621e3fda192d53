import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The directory of package.json, above the sources and the build. */
export const packageDirectory = directoryWith('package.json', import.meta.dirname)

function directoryWith(name: string, directory: string): string {
  const above = dirname(directory)
  return existsSync(join(directory, name)) || above === directory ? directory : directoryWith(name, above)
}

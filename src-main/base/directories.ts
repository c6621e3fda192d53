import { readdir } from 'node:fs/promises'

/** The names in a directory, and with `recursive` the paths below it; none where it is not there. */
export async function namesIn(directory: string, recursive = false): Promise<string[]> {
  try {
    return await readdir(directory, { recursive })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

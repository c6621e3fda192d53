import type { AboutAnswer, aboutEndpoints, Library } from '../../src-main/workbench/about/endpoints.ts'
import { windowCalls } from './client.ts'

export type { AboutAnswer, Library }

const about = windowCalls<typeof aboutEndpoints>()

export function fetchAbout(): Promise<AboutAnswer> {
  return about.call('GET /about')
}

export function fetchLibraries(): Promise<Library[]> {
  return about.call('GET /about/libraries')
}

/** Checks for a newer version over the network. */
export function checkForUpdate(): Promise<AboutAnswer> {
  return about.call('POST /about/look')
}

/** Installs the update and starts again. @throws ApiFailure while a job runs */
export async function installUpdate(): Promise<void> {
  await about.call('POST /about/update')
}

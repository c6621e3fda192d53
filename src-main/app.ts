import { resolve } from 'node:path'
import { systemOrganizationId } from './api/organizations/rules.ts'
import { beginOpening, explainFailure, finishOpening, lockData, type OpenData } from './app-data.ts'
import { startJobs } from './app-jobs.ts'
import { buildServer, loadServer, type Served, type ServerOptions, startServer } from './app-server.ts'
import { CloseStack } from './close-stack.ts'
import type { RetrySchedule } from './delivery/smtp/retry-schedule.ts'
import type { WriteBackSchedule } from './write-back/schedule.ts'
import { startWriterThread } from './start-writer.ts'
import type { JobsAtWork, JobWatch, ShownJob } from './job-watch.ts'
import { acceptFile, pageOfTarget } from './opened.ts'
import type { SettingsChanges } from './settings/schema.ts'
import type { About } from './workbench/about/about.ts'

export interface ApplicationOptions extends ServerOptions {
  dataDirectory: string
  /** Configuration directives to set before anything else. */
  settings?: SettingsChanges
  /** The only job that it does by itself: for a command that needs it for a moment, and would cut off everything else. */
  only?: 'syncs' | 'imports'
  /** Shortens the pauses between attempts to send a message, for tests. */
  retrySchedule?: RetrySchedule
  /** Shortens the pauses before removals are written back, for tests. */
  writeBackSchedule?: WriteBackSchedule
}

/** The running application, with or without a window. */
export interface Application {
  dataDirectory: string
  /** Without a path, e.g. http://127.0.0.1:4280 */
  baseUrl: string
  organizationId: number
  /** The address of the interface; the token in it signs one window in, once. @param page a path, such as /lists/7 */
  interfaceUrl(page?: string): string
  /**
   * Receives what the system opens with the application: a file, or a link such as listwright://lists/7.
   * @returns the window's page for it
   * @throws Error with a sentence for the user if it is neither
   */
  pageFor(target: string): Promise<string>
  /**
   * Creates an API key of the system administrator for an organization, by default the System Organization.
   * It cannot be shown again.
   */
  createApiKey(name: string, organizationId?: number): Promise<string>
  /** Creates an API key for the System Organization that expires with this process. */
  createPassingApiKey(name: string): Promise<string>
  about: About
  /** The jobs that run now, of all organizations. */
  runningJobs(): Promise<ShownJob[]>
  /**
   * Makes a backup before a risky change.
   * @throws Error with a sentence
   */
  backUp(): Promise<void>
  /** Called when jobs begin, go on and end: each second at most. */
  onJobs(listener: (jobs: JobsAtWork) => void): void
  /** Called when the application can no longer work, such as when its writer thread died. */
  onFailure(listener: (error: Error) => void): void
  /** Ends everything in order; imports that run continue at the next start. */
  close(): Promise<void>
}

/**
 * Opens the data directory, resumes interrupted work, and starts the server on 127.0.0.1.
 * @throws Error with a sentence for the user if the directory, the database or the port cannot be used
 */
export async function createApp(options: ApplicationOptions): Promise<Application> {
  const locked = await lockData(resolve(options.dataDirectory))
  const closing = new CloseStack()
  closing.push(() => locked.lock.release())
  try {
    // Both load their code while the data is opened, the thread first: it takes longer.
    const writer = startWriterThread()
    closing.push(() => writer.close())
    const loading = loadServer()
    // Errors are thrown where the promise is awaited.
    loading.catch(() => undefined)
    const opening = await beginOpening(locked, writer, closing)
    const [data, built] = await bothOrNone(
      finishOpening(opening, options.settings ?? {}),
      buildServer(opening, options, loading, closing)
    )
    const served = await startServer(built, data, options, closing)
    const jobWatch = await startJobs(data, served, options, closing)
    return {
      ...applicationOn(data, served, jobWatch),
      createPassingApiKey: (name) =>
        data.writer
          .run('accounts.createApiKey', { ...systemUserOf(data), name, endsWithProcess: true })
          .catch(async (error: unknown) => {
            throw await explainFailure(error, locked)
          }),
      close: () => closing.close()
    }
  } catch (error) {
    const explanation = await explainFailure(error, locked)
    await closing.close()
    throw explanation
  }
}

/** Waits for both, also if one fails: what the other has opened must be closed then. @throws the error of the first that failed */
async function bothOrNone<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}

function systemUserOf({ systemUserId }: OpenData): { organizationId: number; userId: number } {
  return { organizationId: systemOrganizationId, userId: systemUserId }
}

function applicationOn(
  data: OpenData,
  { baseUrl, services: { about, backups, signIn } }: Served,
  jobWatch: JobWatch
): Omit<Application, 'createPassingApiKey' | 'close'> {
  const { dataDirectory, writer } = data
  const systemUser = systemUserOf(data)
  return {
    dataDirectory,
    baseUrl,
    organizationId: systemOrganizationId,
    interfaceUrl: (page = '/') => signIn.addressFor(baseUrl, { ...systemUser, apiKeyId: null }, page),
    pageFor: (target) =>
      pageOfTarget(target, (path) =>
        acceptFile(path, { writer, dataDirectory, organizationId: systemOrganizationId })
      ),
    createApiKey: (name, organizationId = systemOrganizationId) =>
      writer.run('accounts.createApiKey', { ...systemUser, organizationId, name }),
    about,
    runningJobs: () => jobWatch.running(),
    backUp: async () => void (await backups.create('before_change')),
    onJobs: (listener) => jobWatch.onJobs(listener),
    onFailure: (listener) => writer.onFailure(listener)
  }
}

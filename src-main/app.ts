import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { systemOrganizationId } from './api/organizations/rules.ts'
import { authenticate, LastUses, SignIn, Tickets } from './api/accounts/authentication.ts'
import { type PasswordCost, Passwords } from './api/users/passwords.ts'
import { Backups } from './backups/backups.ts'
import { backupFolder } from './backups/files.ts'
import { notePresence, requirePresence } from './backups/presence.ts'
import { finishRestore } from './backups/finish-restore.ts'
import { carryOutRequest } from './backups/restore.ts'
import { DataUnusable, lastGoodBackup } from './backups/unusable-data.ts'
import { bulkActionLoop } from './bulk-actions/bulk-action-loop.ts'
import { kyselyOver, openForReading } from './database/connection.ts'
import { commandLine, requestOrigin } from './database/origin.ts'
import { CommandFailed } from './database/writer.ts'
import { takeInstanceLock } from './database/instance-lock.ts'
import { startWriter } from './start-writer.ts'
import { ContentWriter } from './tracking/content-writer.ts'
import { deliveryJobs } from './delivery/delivery-jobs.ts'
import { messageOf, storageFaultOf } from './base/errors.ts'
import { pageOfTarget, takeFile } from './opened.ts'
import { exportJobs } from './exports/export-jobs.ts'
import { About } from './workbench/about/about.ts'
import { type JobsAtWork, JobWatch, type ShownJob } from './job-watch.ts'
import { DryRuns } from './imports/dry-runs.ts'
import { FileAnalyzer } from './contact-files/file-analyzer.ts'
import { FailedRows } from './imports/failed-rows.ts'
import { importJobs } from './imports/import-jobs.ts'
import { removeLeftFiles } from './imports/left-files.ts'
import { uploadDirectoryOf } from './imports/source.ts'
import { forgetNotes, prepareDamaged } from './integrity/examine.ts'
import { Integrity } from './integrity/integrity.ts'
import { requireWritable, unsafePlacesOf } from './integrity/place.ts'
import { deletedAutoresponderPurger } from './api/autoresponders/purger.ts'
import { deletedCampaignPurger } from './api/campaigns/purger.ts'
import { deletedListPurger } from './api/mailing-lists/purger.ts'
import { importUndoer } from './imports/undo-loop.ts'
import { type Job, type JobKind, JobRunner } from './jobs/job-runner.ts'
import { ListRekeyer } from './api/mailing-lists/rekeyer.ts'
import { Housekeeper } from './jobs/housekeeper.ts'
import { retentionRules } from './retention-rules.ts'
import { Clock } from './settings/clock.ts'
import { SuppressionRequests } from './api/suppression-lists/requests.ts'
import { SegmentReader } from './segments/segment-reader.ts'
import { Copies } from './backups/copies.ts'
import { Credentials, type DesktopEncryption } from './base/credentials.ts'
import { RemoteLook } from './sync/remote-look.ts'
import { ChangeWatch, syncJobs } from './sync/sync-jobs.ts'
import { suppressionJobs } from './suppression/suppression-jobs.ts'
import type { SettingsChanges } from './settings/schema.ts'

export interface ApplicationOptions {
  dataDirectory: string
  /** 0 picks a free port. */
  port: number
  /** Whether any free port will do when another program has this one, as for a window that finds its server itself. */
  orAnyPort?: boolean
  /** Configuration directives to set before anything else. */
  settings?: SettingsChanges
  /** Of the hashes of passwords and of passphrases, where it is not the one that keeps them safe: for tests. */
  passwordCost?: PasswordCost
  /** What the desktop keeps secrets with, where there is one. */
  encryption?: DesktopEncryption
  /** The only job that it does by itself: for a command that needs it for a moment, and would cut off everything else. */
  only?: 'syncs' | 'imports'
}

/** How long a command that looks whether the data is damaged, such as `listwright check`, is waited for, in milliseconds. */
const patienceWithCommands = 1500

/** Holds the address of the application while it runs, for the command line. In the data directory. */
export const addressFile = 'address'

/** The running application, with or without a window. */
export interface Application {
  dataDirectory: string
  /** Without a path, e.g. http://127.0.0.1:4280 */
  baseUrl: string
  organizationId: number
  /** The address of the interface; the token in it signs one window in, once. @param page a path, such as /lists/7 */
  interfaceUrl(page?: string): string
  /**
   * Takes in what the system has the application open: a file, or a link such as listwright://lists/7.
   * @returns the page of the window that shows it
   * @throws Error with a sentence for the user where it is neither
   */
  pageFor(target: string): Promise<string>
  /** Makes an API key of the system admin for an organization, the System Organization by default. It can be shown only now. */
  createApiKey(name: string, organizationId?: number): Promise<string>
  /** Makes one for the System Organization that ends with this application. */
  createPassingApiKey(name: string): Promise<string>
  /** What it tells of itself in the window. */
  about: About
  /** The jobs that run now, of all organizations. */
  runningJobs(): Promise<ShownJob[]>
  /** Makes a backup, before something that a person may want to go back behind. @throws Error with a sentence */
  backUp(): Promise<void>
  /** Called when jobs begin, go on and end: each second at most. */
  onJobs(listener: (jobs: JobsAtWork) => void): void
  /** Called when the application can no longer work, such as when its writer thread died. */
  onFailure(listener: (error: Error) => void): void
  /** Ends everything in order; imports that run continue at the next start. */
  close(): Promise<void>
}

/**
 * Opens the data directory, resumes what was interrupted, and starts the server on 127.0.0.1.
 * @throws Error with a sentence for the user when the directory, the database or the port cannot be used
 */
export async function createApp(options: ApplicationOptions): Promise<Application> {
  const dataDirectory = resolve(options.dataDirectory)
  await preparePrivately(dataDirectory)
  const lock = takeInstanceLock(dataDirectory, (await isServed(dataDirectory)) ? 0 : patienceWithCommands)
  const logSize = (await stat(join(dataDirectory, 'listwright.db-wal')).catch(() => null))?.size ?? 0
  const wasCutOff = existsSync(join(dataDirectory, addressFile)) || logSize > 0
  // Of one that was killed: something else may listen there now.
  await rm(join(dataDirectory, addressFile), { force: true })
  const integrity = new Integrity(dataDirectory, wasCutOff)
  let examination = Promise.resolve()
  /** Damage is told whole: there is no window that would. Also where what stands in a wrong place fails before it is found. */
  const explained = async (error: unknown): Promise<unknown> => {
    const isDamage = storageFaultOf(error)?.kind === 'damaged'
    if (!isDamage && !(error instanceof CommandFailed) && !isOfSqlite(error)) return error
    await examination.catch(() => undefined)
    return isDamage || integrity.state === 'damaged'
      ? damagedDatabase(dataDirectory, integrity.faults)
      : error
  }
  const undo: (() => unknown)[] = [() => lock.release()]
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
  try {
    const databasePath = join(dataDirectory, 'listwright.db')
    // What is served takes as long to load as the writer to start: each has a core of its own for it.
    const served = loadServed()
    // What kept it from being loaded is told where it is waited for.
    served.catch(() => undefined)
    const restoreFault = await carryOutRequest(dataDirectory)
    if (restoreFault !== null) process.stderr.write(`${restoreFault}\n`)
    requirePresence(dataDirectory)
    // Of a database that somebody removed or emptied, to start over.
    if (((await stat(databasePath).catch(() => null))?.size ?? 0) === 0) forgetNotes(databasePath)
    examination = integrity.examine()
    // What kept it from being examined is told by the one who watches.
    examination.catch(() => undefined)
    undo.push(() => integrity.close())
    // What a killed one left in the log is not to be copied over what is wrong.
    if (wasCutOff) await examination
    else integrity.examineEnd()
    if (integrity.state === 'damaged') await prepareDamaged(databasePath)
    const writer = await startWriter({ databasePath, backupDirectory: join(dataDirectory, backupFolder) })
    undo.push(() => writer.close())
    integrity.watch(writer, examination)
    await notePresence(dataDirectory)
    const userId = await writer.run('accounts.ensureSystemOrganization', undefined)
    await writer.run('settings.ensureSigningSecret', undefined)
    const restored = await finishRestore(dataDirectory, writer)
    // Those of a process that was killed are still there.
    await writer.run('accounts.removeEndedKeys', undefined).catch((error: unknown) => {
      if (storageFaultOf(error)?.kind !== 'damaged') throw error
    })
    // Not waited for: with a database that is locked the keys are left to the next start.
    undo.push(() => void writer.run('accounts.removeEndedKeys', undefined).catch(() => undefined))
    if (options.settings && Object.keys(options.settings).length > 0) {
      const changes = { ...options.settings, organizationId: systemOrganizationId }
      await requestOrigin.run(commandLine, () => writer.run('settings.update', changes))
    }

    const reader = kyselyOver(openForReading(databasePath))
    undo.push(() => reader.destroy())
    await removeLeftFiles(reader, dataDirectory)
    const dryRuns = new DryRuns(dataDirectory, databasePath)
    await dryRuns.prepare()
    const stepLoops = [
      deletedListPurger(reader, writer),
      deletedCampaignPurger(reader, writer),
      deletedAutoresponderPurger(reader, writer),
      importUndoer(reader, writer),
      bulkActionLoop(reader, writer)
    ]
    const rekeyer = new ListRekeyer(reader, writer)
    const suppressionRequests = new SuppressionRequests(reader, writer)
    const segments = new SegmentReader(databasePath, writer)
    const contents = new ContentWriter(databasePath)
    const failedRows = new FailedRows()
    const fileAnalyzer = new FileAnalyzer()
    const credentials = new Credentials(dataDirectory, options.encryption ?? null)
    const remoteLook = new RemoteLook()
    const copies = new Copies(reader, credentials, dataDirectory)
    const passphraseCost = options.passwordCost && Math.log2(options.passwordCost.N)
    const backups = new Backups(reader, dataDirectory, integrity, copies, passphraseCost)
    backups.fault = restoreFault
    backups.restored = restored
    backups.warnings = unsafePlacesOf(dataDirectory)
    for (const sentence of backups.warnings) process.stderr.write(`${sentence}\n`)
    const about = new About()
    const signIn = new SignIn()
    const tickets = new Tickets()
    const keyUses = new LastUses((id) => writer.run('accounts.noteKeyUse', { id }))
    const sessionUses = new LastUses((id) => writer.run('accounts.noteSessionUse', { id }))
    const passwords = new Passwords(options.passwordCost)
    const context = {
      reader,
      writer,
      dryRuns,
      rekeyer,
      suppressionRequests,
      segments,
      contents,
      failedRows,
      fileAnalyzer,
      signIn,
      tickets,
      keyUses,
      sessionUses,
      passwords,
      credentials,
      remoteLook,
      about,
      backups,
      integrity,
      dataDirectory
    }
    const { createServer, registerRoutes } = await served
    const server = await createServer(context, { register: registerRoutes, authenticate })
    // At once: each waits for a thread that may be in the middle of something.
    const withThreads = [
      dryRuns,
      segments,
      contents,
      failedRows,
      fileAnalyzer,
      remoteLook,
      backups,
      ...stepLoops
    ]
    undo.push(() => Promise.all(withThreads.map((each) => each.close())))
    undo.push(() => closeServer(server))
    // Before the server, which would wait for the request that waits for the change.
    undo.push(
      () => rekeyer.close(),
      () => suppressionRequests.close()
    )
    const baseUrl = await listen(server, options)
    const addressPath = join(dataDirectory, addressFile)
    undo.push(() => rm(addressPath, { force: true }))
    await writeFile(addressPath, `${baseUrl}\n`)

    const runners: { close: () => Promise<void> }[] = []
    undo.push(() => Promise.all(runners.map((runner) => runner.close())))
    const start = async <Of extends Job>(kind: JobKind<Of>): Promise<void> => {
      const runner = new JobRunner(kind, writer, dataDirectory)
      runners.push(runner)
      await runner.wake()
    }
    if (options.only !== 'syncs') await start(importJobs(reader, writer, dataDirectory))
    if (!options.only) {
      await start(exportJobs(reader, writer))
      await start(suppressionJobs(reader, writer))
      await start(deliveryJobs(reader, writer, baseUrl))
    }
    await start(syncJobs(reader, writer, credentials))
    const changeWatch = new ChangeWatch(writer)
    undo.push(() => changeWatch.close())
    const jobWatch = new JobWatch(reader, writer)
    undo.push(() => jobWatch.close())
    await rekeyer.resume()
    suppressionRequests.resume()
    for (const loop of stepLoops) loop.wake()
    const rules = retentionRules(reader, writer, dataDirectory, () => {
      for (const loop of stepLoops) loop.wake()
    })
    const clock = new Clock(reader, writer)
    const housekeeper = new Housekeeper(rules, (now) => clock.isBelieved(now))
    undo.push(() => housekeeper.close())
    housekeeper.start()
    if (!options.only) backups.start()

    return {
      dataDirectory,
      baseUrl,
      organizationId: systemOrganizationId,
      interfaceUrl: (page = '/') =>
        signIn.addressFor(baseUrl, { organizationId: systemOrganizationId, userId, apiKeyId: null }, page),
      pageFor: (target) =>
        pageOfTarget(target, (path) =>
          takeFile(path, { writer, dataDirectory, organizationId: systemOrganizationId })
        ),
      createApiKey: (name, organizationId = systemOrganizationId) =>
        writer.run('accounts.createApiKey', { organizationId, userId, name }),
      createPassingApiKey: (name) =>
        writer
          .run('accounts.createApiKey', {
            organizationId: systemOrganizationId,
            userId,
            name,
            endsWithProcess: true
          })
          .catch(async (error: unknown) => {
            throw await explained(error)
          }),
      about,
      runningJobs: () => jobWatch.running(),
      backUp: async () => void (await backups.create('before_change')),
      onJobs: (listener) => jobWatch.onJobs(listener),
      onFailure: (listener) => writer.onFailure(listener),
      close
    }
  } catch (error) {
    const explanation = await explained(error)
    await close()
    throw explanation
  }
}

/** Whether something answers where the application of a data directory told that it is: then it is not waited for. */
async function isServed(dataDirectory: string): Promise<boolean> {
  const address = await readFile(join(dataDirectory, addressFile), 'utf8').catch(() => null)
  if (address === null || !URL.canParse(address)) return false
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port) })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // Of one that was killed.
    return false
  } finally {
    socket.destroy()
  }
}

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
}

/** @returns what to do about a database that nothing can be started with */
function damagedDatabase(dataDirectory: string, faults: readonly string[]): DataUnusable {
  const backup = lastGoodBackup(dataDirectory)
  const wayBack =
    backup === undefined
      ? `Listwright has made no backup in ${join(dataDirectory, backupFolder)}; any other is restored by its path: listwright backup restore FILE.`
      : `To restore the last backup and set the damaged data aside: listwright backup restore ${backup.name}`
  const problem = `The database ${join(dataDirectory, 'listwright.db')} is damaged. It was left as it is.`
  return new DataUnusable(
    [problem, ...faults].join(' '),
    [wayBack, 'To recover what can still be read: listwright backup recover'],
    { backup, canRecover: true }
  )
}

async function loadServed() {
  const [{ createServer }, { registerRoutes }] = await Promise.all([
    import('./http/server.ts'),
    import('./routes.ts')
  ])
  return { createServer, registerRoutes }
}

/**
 * Makes the data directory for its owner alone, with everything that comes into it: others on the machine read none of it.
 * A directory that was open to them is closed, and that is said.
 */
async function preparePrivately(dataDirectory: string): Promise<void> {
  process.umask(0o077)
  const uploads = uploadDirectoryOf(dataDirectory, systemOrganizationId)
  await requireWritable(dataDirectory)
  const { mode } = await stat(dataDirectory)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const became = (await isOurs(dataDirectory))
      ? await closeToOthers(dataDirectory)
      : 'is open to other users of this computer. It contains other files, so it was left as it is. Only you can read what Listwright stores in it.'
    process.stderr.write(`${dataDirectory} ${became}\n`)
  }
  await mkdir(uploads, { recursive: true })
}

/** Whether a directory is for this application alone: empty, or with its database. */
async function isOurs(directory: string): Promise<boolean> {
  const names = await readdir(directory)
  return names.length === 0 || names.includes('listwright.db')
}

/** @returns what became of it, as the rest of a sentence */
async function closeToOthers(directory: string): Promise<string> {
  try {
    await chmod(directory, 0o700)
    return 'was open to other users of this computer; now only its owner can read it.'
  } catch (error) {
    return `is open to other users of this computer, and that could not be changed (${messageOf(error)}). Change it yourself: chmod 700`
  }
}

/** How long requests that are under way may take to their end, in milliseconds. */
const patience = 2500

/**
 * A connection that was answering when the end came stays open for its next request: it is closed once it is idle. One
 * whose client does not go on is closed as it is.
 */
async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50)
  const deadline = setTimeout(() => server.server.closeAllConnections(), patience)
  try {
    await server.close()
  } finally {
    clearInterval(sweep)
    clearTimeout(deadline)
  }
}

async function listen(server: FastifyInstance, { port, orAnyPort }: ApplicationOptions): Promise<string> {
  try {
    return await server.listen({ host: '127.0.0.1', port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (orAnyPort) return server.listen({ host: '127.0.0.1', port: 0 })
    throw new Error(
      `Port ${port} of 127.0.0.1 is taken by another program. Choose another with --port, or use --port 0 for any free port.`,
      { cause: error }
    )
  }
}

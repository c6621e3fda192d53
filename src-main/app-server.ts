import { englishOf } from './base/refusal.ts'
import type { FastifyInstance } from 'fastify'
import { rm, writeFile } from 'node:fs/promises'
import { authenticate, LastUses, SignIn, Tickets } from './api/accounts/authentication.ts'
import { deletedAutoresponderPurger } from './api/autoresponders/purger.ts'
import { deletedCampaignPurger } from './api/campaigns/purger.ts'
import { deletedListPurger } from './api/mailing-lists/purger.ts'
import { Followers } from './api/events/followers.ts'
import { ListRekeyer } from './api/mailing-lists/rekeyer.ts'
import { SuppressionRequests } from './api/suppression-lists/requests.ts'
import { type PasswordCost, Passwords } from './api/users/passwords.ts'
import { addressPathIn, type OpenData, type OpeningData } from './app-data.ts'
import { Backups } from './backups/backups.ts'
import { Copies } from './backups/copies.ts'
import { Credentials, type DesktopEncryption } from './base/credentials.ts'
import { bulkActionLoop } from './bulk-actions/bulk-action-loop.ts'
import type { CloseStack } from './close-stack.ts'
import { FileAnalyzer } from './contact-files/file-analyzer.ts'
import type { ApplicationContext } from './http/context.ts'
import { Dns } from './delivery/preflight/dns.ts'
import { Rehearsals } from './delivery/rehearsal/rehearsals.ts'
import { DryRuns } from './imports/dry-runs.ts'
import { FailedRows } from './imports/failed-rows.ts'
import { DatabaseRows } from './imports/from-databases/database-rows.ts'
import { importUndoer } from './imports/undo-loop.ts'
import { unsafePlacesOf } from './integrity/place.ts'
import { Judge } from './receiving/judging/judge.ts'
import { MessageReader } from './receiving/message-reader.ts'
import { SegmentReader } from './segments/segment-reader.ts'
import { RemoteDatabases } from './remote-databases/remote-databases.ts'
import { RemoteQueries } from './remote-lists/remote-queries.ts'
import { RemoteLook } from './sync/remote-look.ts'
import { ContentWriter } from './tracking/content-writer.ts'
import { About } from './workbench/about/about.ts'

export interface ServerOptions {
  /** 0 picks a free port. */
  port: number
  /** True = use any free port if this one is taken, for a window that finds its server itself. */
  orAnyPort?: boolean
  /** Lowers the cost of password hashes, for tests. */
  passwordCost?: PasswordCost
  /** The DNS servers to ask, such as 127.0.0.1:5353, for tests; default: those of the system. */
  dnsServers?: readonly string[]
  /** The desktop's storage for secrets, if there is one. */
  encryption?: DesktopEncryption
}

/** The services that requests use, the background work that they cause, and the server itself, before it listens. */
export interface BuiltServer {
  server: FastifyInstance
  services: ApplicationContext
  stepLoops: { wake: () => void; close: () => Promise<void> }[]
}

export interface Served extends BuiltServer {
  /** Without a path, e.g. http://127.0.0.1:4280 */
  baseUrl: string
}

/** Loads the server's code, which takes as long as the writer's start: both run in parallel. */
export async function loadServer() {
  const [{ createServer }, { registerRoutes }] = await Promise.all([
    import('./http/server.ts'),
    import('./routes.ts')
  ])
  return { createServer, registerRoutes }
}

/** Creates the server with all routes, which takes as long as the writer needs to open the database: both run in parallel. */
export async function buildServer(
  data: OpeningData,
  options: ServerOptions,
  loading: ReturnType<typeof loadServer>,
  closing: CloseStack
): Promise<BuiltServer> {
  const { reader, writer } = data
  const services = await createServices(data, options)
  const stepLoops = [
    deletedListPurger(reader, writer),
    deletedCampaignPurger(reader, writer),
    deletedAutoresponderPurger(reader, writer),
    importUndoer(reader, writer),
    bulkActionLoop(reader, writer)
  ]
  const { createServer, registerRoutes } = await loading
  const server = await createServer(services, { register: registerRoutes, authenticate })

  const withThreads = [
    services.dryRuns,
    services.rehearsals,
    services.segments,
    services.contents,
    services.messageReader,
    services.judge,
    services.failedRows,
    services.fileAnalyzer,
    services.remoteLook,
    services.backups,
    ...stepLoops
  ]
  // In parallel, since each waits for a thread that may be busy.
  closing.push(() => Promise.all(withThreads.map((each) => each.close())))
  closing.push(() => closeServer(server))
  // This runs before the server closes: the server would wait for a request, which waits for the change.
  closing.push(
    () => services.rekeyer.close(),
    () => services.suppressionRequests.close(),
    () => services.followers.close()
  )
  return { server, services, stepLoops }
}

/**
 * Starts the server on 127.0.0.1 and stores its address in the data directory.
 * @throws Error with a sentence for the user if the port cannot be used
 */
export async function startServer(
  built: BuiltServer,
  { dataDirectory, restored }: OpenData,
  options: ServerOptions,
  closing: CloseStack
): Promise<Served> {
  built.services.backups.restored = restored
  const baseUrl = await listen(built.server, options)
  const addressPath = addressPathIn(dataDirectory)
  closing.push(() => rm(addressPath, { force: true }))
  await writeFile(addressPath, `${baseUrl}\n`)
  return { ...built, baseUrl }
}

async function createServices(
  { dataDirectory, databasePath, integrity, writer, reader, restoreFault }: OpeningData,
  { encryption, passwordCost, dnsServers }: ServerOptions
): Promise<ApplicationContext> {
  const dryRuns = new DryRuns(dataDirectory, databasePath)
  await dryRuns.prepare()
  const credentials = new Credentials(dataDirectory, encryption ?? null)
  const copies = new Copies(reader, credentials, dataDirectory)
  const passphraseCost = passwordCost && Math.log2(passwordCost.N)
  const backups = new Backups(reader, dataDirectory, integrity, copies, passphraseCost)
  backups.fault = restoreFault
  backups.warnings = unsafePlacesOf(dataDirectory)
  for (const warning of backups.warnings) process.stderr.write(`${englishOf(warning)}\n`)
  return {
    reader,
    writer,
    dryRuns,
    rekeyer: new ListRekeyer(reader, writer),
    suppressionRequests: new SuppressionRequests(reader, writer),
    followers: new Followers(writer),
    segments: new SegmentReader(databasePath, writer),
    contents: new ContentWriter(databasePath),
    messageReader: new MessageReader(),
    judge: new Judge(databasePath),
    failedRows: new FailedRows(),
    fileAnalyzer: new FileAnalyzer(),
    signIn: new SignIn(),
    tickets: new Tickets(),
    keyUses: new LastUses((id) => writer.run('accounts.recordKeyUse', { id })),
    sessionUses: new LastUses((id) => writer.run('accounts.recordSessionUse', { id })),
    passwords: new Passwords(passwordCost),
    credentials,
    dns: new Dns(dnsServers),
    rehearsals: new Rehearsals(databasePath),
    remoteLook: new RemoteLook(),
    remoteDatabases: new RemoteDatabases(),
    remoteQueries: new RemoteQueries(),
    databaseRows: new DatabaseRows(),
    about: new About(),
    backups,
    integrity,
    dataDirectory
  }
}

/** Time for running requests to end, in milliseconds. */
const patience = 2500

/**
 * A connection that was answering at the end stays open for its next request, so it is closed once idle. One
 * whose client stalls is closed at once.
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

async function listen(server: FastifyInstance, { port, orAnyPort }: ServerOptions): Promise<string> {
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

import { englishOf, type Refusal } from './base/refusal.ts'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { systemOrganizationId } from './api/organizations/rules.ts'
import { backupFolder } from './backups/files.ts'
import { type FinishedRestore, finishRestore } from './backups/finish-restore.ts'
import { recordPresence, requirePresence } from './backups/presence.ts'
import { carryOutRequest } from './backups/restore.ts'
import { DataUnusable, lastGoodBackup } from './backups/unusable-data.ts'
import { messageOf, storageFaultOf } from './base/errors.ts'
import type { CloseStack } from './close-stack.ts'
import { rememberReads } from './database/remembered.ts'
import { kyselyOnFirstUse, openForReading } from './database/connection.ts'
import { type InstanceLock, takeInstanceLock } from './database/instance-lock.ts'
import { commandLine, requestOrigin } from './database/origin.ts'
import type { Schema } from './database/schema.ts'
import { CommandFailed, type Writer } from './database/writer.ts'
import { removeLeftFiles } from './imports/left-files.ts'
import { uploadDirectoryOf } from './imports/source.ts'
import { deleteChecksums, prepareDamaged } from './integrity/examine.ts'
import { Integrity } from './integrity/integrity.ts'
import { requireWritable } from './integrity/place.ts'
import type { SettingsChanges } from './settings/schema.ts'
import { databaseFile, databasePathIn } from './database/database-path.ts'

/** Time to wait for a command that examines the data, such as `listwright check`, in milliseconds. */
const patienceWithCommands = 1500

/** Returns the path of the file that holds the application's address while it runs, for the command line. */
export function addressPathIn(dataDirectory: string): string {
  return join(dataDirectory, 'address')
}

/** A data directory that no other process uses. */
export interface LockedData {
  dataDirectory: string
  lock: InstanceLock
  integrity: Integrity
  /** True if the last application did not end in order. */
  wasCutOff: boolean
}

/** The database while its writer opens it. The reader may be used after that. */
export interface OpeningData {
  dataDirectory: string
  databasePath: string
  integrity: Integrity
  examination: Promise<void>
  writer: Writer
  /** Resolves once the writer has opened the database. */
  opened: Promise<void>
  reader: Kysely<Schema>
  /** Why a requested restore was not done; null = it was, or none was requested. */
  restoreFault: Refusal | null
}

/** The open database, ready for requests and jobs. */
export interface OpenData extends OpeningData {
  /** The system administrator that every installation has. */
  systemUserId: number
  restored: FinishedRestore | null
}

/**
 * Takes the data directory for this process.
 * @throws Error with a sentence for the user if it cannot be used
 */
export async function lockData(dataDirectory: string): Promise<LockedData> {
  await preparePrivately(dataDirectory)
  const lock = takeInstanceLock(dataDirectory, (await isServed(dataDirectory)) ? 0 : patienceWithCommands)
  const logSize = (await stat(`${databasePathIn(dataDirectory)}-wal`).catch(() => null))?.size ?? 0
  const wasCutOff = existsSync(addressPathIn(dataDirectory)) || logSize > 0
  // An address file left by a killed process: another program may listen at that address by now.
  await rm(addressPathIn(dataDirectory), { force: true })
  return { dataDirectory, lock, integrity: new Integrity(dataDirectory, wasCutOff), wasCutOff }
}

/**
 * Restores and examines the database, and has the thread of the writer open it.
 * @throws Error with a sentence for the user; {@link explainFailure} words faults of the database
 */
export async function beginOpening(
  { dataDirectory, integrity, wasCutOff }: LockedData,
  writer: Writer,
  closing: CloseStack
): Promise<OpeningData> {
  const databasePath = databasePathIn(dataDirectory)
  const restoreFault = await carryOutRequest(dataDirectory)
  if (restoreFault !== null) process.stderr.write(`${englishOf(restoreFault)}\n`)
  requirePresence(dataDirectory)
  // The user deleted or emptied the database to start over.
  if (((await stat(databasePath).catch(() => null))?.size ?? 0) === 0) deleteChecksums(databasePath)

  const examination = integrity.examine()
  // Errors are reported by integrity.watch().
  examination.catch(() => undefined)
  closing.push(() => integrity.close())
  // The examination must see the log of a killed process before it is copied into a damaged database.
  if (wasCutOff) await examination
  else integrity.examineEnd()
  if (integrity.state === 'damaged') await prepareDamaged(databasePath)

  const backupDirectory = join(dataDirectory, backupFolder)
  const opened = writer.open({ databasePath, backupDirectory })
  // An error is thrown where it is awaited.
  opened.catch(() => undefined)
  // Not awaited: if the database is locked, the next start removes the keys.
  closing.push(() => void writer.run('accounts.removeEndedKeys', undefined).catch(() => undefined))
  const reader = kyselyOnFirstUse(() => {
    const connection = openForReading(databasePath)
    rememberReads(reader, connection)
    return connection
  })
  closing.push(() => reader.destroy())
  return { dataDirectory, databasePath, integrity, examination, writer, opened, reader, restoreFault }
}

/**
 * Waits until the database is open, and prepares it for requests and jobs.
 * @param settings directives to set before anything else
 * @throws Error as {@link beginOpening}
 */
export async function finishOpening(opening: OpeningData, settings: SettingsChanges): Promise<OpenData> {
  const { dataDirectory, integrity, examination, writer, opened, reader } = opening
  await opened
  integrity.watch(writer, examination)
  await recordPresence(dataDirectory)
  const systemUserId = await writer.run('accounts.ensureSystemOrganization', undefined)
  await writer.run('settings.ensureSigningSecret', undefined)
  await resumeRecording(writer)
  const restored = await finishRestore(dataDirectory, writer)
  await removeKeysOfEndedProcesses(writer)
  if (Object.keys(settings).length > 0) {
    const changes = { ...settings, organizationId: systemOrganizationId }
    await requestOrigin.run(commandLine, () => writer.run('settings.update', changes))
  }
  await removeLeftFiles(reader, dataDirectory)
  return { ...opening, systemUserId, restored }
}

/** Has the changes of subscribers recorded that webhooks want. */
async function resumeRecording(writer: Writer): Promise<void> {
  await writer.run('events.follow', { organizationIds: [] }).catch((error: unknown) => {
    if (storageFaultOf(error)?.kind !== 'damaged') throw error
  })
}

async function removeKeysOfEndedProcesses(writer: Writer): Promise<void> {
  await writer.run('accounts.removeEndedKeys', undefined).catch((error: unknown) => {
    if (storageFaultOf(error)?.kind !== 'damaged') throw error
  })
}

/**
 * Describes damage completely, since no window would, also if something failed on it before the examination
 * found it. Returns other errors unchanged.
 */
export async function explainFailure(
  error: unknown,
  { dataDirectory, integrity }: LockedData
): Promise<unknown> {
  const isDamage = storageFaultOf(error)?.kind === 'damaged'
  if (!isDamage && !(error instanceof CommandFailed) && !isOfSqlite(error)) return error
  await integrity.examined()
  return isDamage || integrity.state === 'damaged' ? damagedDatabase(dataDirectory, integrity.faults) : error
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
  const problem = `The database ${databasePathIn(dataDirectory)} is damaged. It was left as it is.`
  return new DataUnusable(
    [problem, ...faults].join(' '),
    [wayBack, 'To recover what can still be read: listwright backup recover'],
    { backup, canRecover: true }
  )
}

/**
 * True if a server responds at the data directory's recorded address: then there is no use in waiting for it.
 */
async function isServed(dataDirectory: string): Promise<boolean> {
  const address = await readFile(addressPathIn(dataDirectory), 'utf8').catch(() => null)
  if (address === null || !URL.canParse(address)) return false
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port) })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // The address was left by a process that was killed.
    return false
  } finally {
    socket.destroy()
  }
}

/** Makes the data directory private to its owner. If it was open to others, it is closed with a message. */
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

/** True if a directory is empty or contains our database. */
async function isOurs(directory: string): Promise<boolean> {
  const names = await readdir(directory)
  return names.length === 0 || names.includes(databaseFile)
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

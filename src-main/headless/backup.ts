import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isEncrypted } from '../backups/encryption.ts'
import { requirePassphrase } from '../backups/passphrase.ts'
import { backupFolder, backupName, backupsIn } from '../backups/files.ts'
import { makeDirectory } from '../base/durable.ts'
import { messageOf } from '../base/errors.ts'
import { importFile, isPacked } from '../backups/import-file.ts'
import { recordBackupInAuditLog } from '../backups/note.ts'
import { restoreBackup } from '../backups/restore.ts'
import { verifyBackup } from '../backups/verify.ts'
import { alone, recoverAlone } from '../backups/without-application.ts'
import { commandLine, requestOrigin } from '../database/origin.ts'
import { formatCount, formatMegabytes } from '../base/figures.ts'
import type { LossCounts } from '../salvage/losses.ts'
import { answeringCommand, commonUsage, type Printed } from './command.ts'
import { openDataDirectory, requireData } from './data-directory.ts'
import { inPassingFolder, type PassingWork, refuseExisting } from './passing-folder.ts'
import { secretIn } from './secret-file.ts'
import { databasePathIn } from '../database/database-path.ts'

// `listwright backup …`: copies of the database, also where the application does not start any more.

const usage = `Usage: listwright backup create [FILE]
       listwright backup list
       listwright backup verify FILE
       listwright backup restore FILE
       listwright backup recover
       listwright backup export FILE
       listwright backup import FILE

create   copies the database, even while the application is running, and verifies the copy
list     lists the backups in the data directory, newest first
verify   reads the whole backup, and exits with status 1 if something is wrong
restore  replaces the data with a backup, after setting the current data aside. Close the application first. Campaigns
         that were scheduled or being sent are paused at the next start, because they may have been sent in the meantime
recover  makes a backup of what can still be read of damaged data, and a list of what was lost. Close the application
         first
export   writes everything into an archive (a ZIP file) as CSV and JSON, even while the application is running
import   makes a backup from an archive, or from a backup of another computer. Restore it into an empty installation,
         or in place of the current data

FILE is a path, or the name of a backup in the data directory. A backup contains everything except uploaded files,
import logs and messages in the outbox.

${commonUsage}  --passphrase-file FILE  reads a passphrase from the file (- for standard input): create and export encrypt with it,
                          and verify, restore and import decrypt. Encrypted files are in the age format
`

const options = { 'passphrase-file': { type: 'string' } } as const

export const backupCommand = answeringCommand(usage, options, async (values, [action = '', ...rest]) => {
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined
  const [file, ...others] = rest
  if (!run || others.length > 0 || (['list', 'recover'].includes(action) && file !== undefined))
    throw new Error(
      'backup needs create [FILE], list, verify FILE, restore FILE, recover, export FILE or import FILE'
    )
  // Copies are readable only by their owner, like the data.
  process.umask(0o077)
  const passphraseFile = values['passphrase-file']
  const passphrase =
    passphraseFile === undefined ? null : secretIn('passphrase-file', 'passphrase', passphraseFile)
  return run(resolve(values['data-dir']), file, passphrase)
})

type Action = (dataDirectory: string, file: string | undefined, passphrase: string | null) => Promise<Printed>

const actions: Record<string, Action> = {
  create,
  list,
  verify,
  restore,
  recover,
  export: exportData,
  import: importData
}

async function create(
  dataDirectory: string,
  file: string | undefined,
  passphrase: string | null
): Promise<Printed> {
  const database = databasePathIn(requireData(dataDirectory))
  if (passphrase !== null) requirePassphrase(passphrase)
  if (file === undefined && passphrase !== null)
    throw new Error('an encrypted backup needs a path, such as backup.db.age')
  const path =
    file === undefined ? join(dataDirectory, backupFolder, backupName('manual', Date.now())) : resolve(file)
  const work = { ask: 'create' as const, database, destination: refuseExisting(path), passphrase }
  const made = await makeFile(dataDirectory, work, file === undefined ? 'made' : 'exported')
  return { json: made, text: `${describe(made)}, verified.` }
}

interface MadeFile {
  file: string
  bytes: number
  subscribers: number
}

async function makeFile(
  dataDirectory: string,
  work: Extract<PassingWork, { database: string }>,
  done: 'made' | 'exported'
): Promise<MadeFile> {
  const { subscribers } = await inPassingFolder(dataDirectory, work)
  const file = work.destination
  await recordInAuditLog(dataDirectory, file, done)
  return { file, bytes: statSync(file).size, subscribers }
}

function describe({ file, bytes, subscribers }: MadeFile): string {
  return `${file}\n${formatCount(subscribers)} subscribers, ${formatMegabytes(bytes)}`
}

async function recordInAuditLog(
  dataDirectory: string,
  path: string,
  done: 'made' | 'exported' | 'imported'
): Promise<void> {
  try {
    const data = openDataDirectory(dataDirectory)
    try {
      await requestOrigin.run(commandLine, () =>
        data.write((writer) => recordBackupInAuditLog(writer, basename(path), done))
      )
    } finally {
      await data.close()
    }
  } catch (error) {
    process.stderr.write(`This is not in the audit log: ${messageOf(error)}\n`)
  }
}

async function list(dataDirectory: string): Promise<Printed> {
  const backups = backupsIn(join(dataDirectory, backupFolder))
  return {
    json: {
      backups: backups.map(({ path, kind, createdAt, bytes }) => ({
        file: path,
        kind,
        created_at: new Date(createdAt).toISOString(),
        bytes
      }))
    },
    text:
      backups.length === 0
        ? 'There are no backups yet.'
        : backups
            .map(({ path, createdAt, bytes }) =>
              [new Date(createdAt).toISOString(), formatMegabytes(bytes), path].join('\t')
            )
            .join('\n')
  }
}

async function verify(
  dataDirectory: string,
  file: string | undefined,
  passphrase: string | null
): Promise<Printed> {
  const path = backupNamed(dataDirectory, file, 'verify')
  const { ok, faults, subscribers, tables } =
    existsSync(path) && (await isPacked(path))
      ? await inPassingFolder(dataDirectory, {
          ask: 'verify',
          file: path,
          passphrase: await passphraseFor(path, passphrase)
        })
      : await verifyBackup(path)
  return {
    json: { file: path, ok, faults, subscribers, tables },
    text: ok
      ? `${path} is intact: ${formatCount(subscribers)} subscribers.`
      : [`${path} cannot be used:`, ...faults.map((fault) => `  ${fault}`)].join('\n'),
    status: ok ? 0 : 1
  }
}

async function restore(
  dataDirectory: string,
  file: string | undefined,
  passphrase: string | null
): Promise<Printed> {
  const given = backupNamed(dataDirectory, file, 'restore')
  await makeDirectory(dataDirectory)
  return alone(dataDirectory, async () => {
    const isImported = existsSync(given) && (await isPacked(given))
    const path = isImported ? importedPath(dataDirectory) : given
    if (isImported) await importFile(given, path, await passphraseFor(given, passphrase))
    const { setAside, found } = await restoreBackup(dataDirectory, path, Date.now())
    return {
      json: { restored: path, set_aside: setAside, subscribers: found.subscribers },
      text: [
        `${path} is restored: ${formatCount(found.subscribers)} subscribers.`,
        ...(setAside === null ? [] : [`The previous data is in: ${setAside}`])
      ].join('\n')
    }
  })
}

async function recover(dataDirectory: string): Promise<Printed> {
  const { name, path, found, losses, lossesFile } = await recoverAlone(requireData(dataDirectory))
  return {
    json: { file: path, subscribers: found.subscribers, losses, losses_file: lossesFile },
    text: [
      `${path}: ${formatCount(found.subscribers)} subscribers. The damaged data was left as it was.`,
      ...lossSentences(losses),
      `List of what was lost: ${lossesFile}`,
      `To use what was recovered: listwright backup restore ${name}`
    ].join('\n')
  }
}

async function exportData(
  dataDirectory: string,
  file: string | undefined,
  passphrase: string | null
): Promise<Printed> {
  if (file === undefined)
    throw new Error('backup export needs the path of the archive, such as listwright.zip')
  const database = databasePathIn(requireData(dataDirectory))
  const path = refuseExisting(resolve(file))
  if (passphrase !== null) requirePassphrase(passphrase)
  const work = { ask: 'export' as const, database, destination: path, passphrase }
  const made = await makeFile(dataDirectory, work, 'exported')
  return { json: made, text: `${describe(made)}.` }
}

async function importData(
  dataDirectory: string,
  file: string | undefined,
  passphrase: string | null
): Promise<Printed> {
  if (file === undefined) throw new Error('backup import needs the path of an archive or a backup')
  const given = resolve(file)
  if (!existsSync(given)) throw new Error(`There is no file ${given}.`)
  const path = importedPath(dataDirectory)
  const { subscribers } = await inPassingFolder(dataDirectory, {
    ask: 'import',
    file: given,
    destination: path,
    passphrase: await passphraseFor(given, passphrase)
  })
  // Without a database there is no audit log.
  if (existsSync(databasePathIn(dataDirectory))) await recordInAuditLog(dataDirectory, path, 'imported')
  return {
    json: { file: path, subscribers },
    text: [
      `${path}: ${formatCount(subscribers)} subscribers.`,
      `To use it: listwright backup restore ${basename(path)}`
    ].join('\n')
  }
}

function importedPath(dataDirectory: string): string {
  return join(dataDirectory, backupFolder, backupName('imported', Date.now()))
}

/** @throws Error with a sentence where a file is encrypted and there is no passphrase */
async function passphraseFor(file: string, passphrase: string | null): Promise<string | null> {
  if (passphrase === null && (await isEncrypted(file)))
    throw new Error('The file is encrypted. Its passphrase is given with --passphrase-file.')
  return passphrase
}

function lossSentences({ lost, removed, replaced, doubtful, stopped }: LossCounts): string[] {
  const sentences: [number, string][] = [
    [lost + removed, 'records are lost.'],
    [replaced, 'lost records that others depend on were replaced with empty ones.'],
    [doubtful, 'records were kept although their part of the file was changed: please check them.'],
    [stopped, 'running jobs were stopped.']
  ]
  const told = sentences.filter(([count]) => count > 0)
  if (told.length === 0) return ['Nothing was lost.']
  return told.map(([count, sentence]) => `${formatCount(count)} ${sentence}`)
}

function backupNamed(dataDirectory: string, file: string | undefined, action: string): string {
  if (file === undefined) throw new Error(`backup ${action} needs a file, or a name from "backup list"`)
  const inFolder = join(dataDirectory, backupFolder, file)
  return !existsSync(file) && existsSync(inFolder) ? inFolder : resolve(file)
}

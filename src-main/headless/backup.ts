import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backupFolder, backupName, backupsIn } from '../backups/files.ts'
import { makeDirectory } from '../base/durable.ts'
import { recoverBackup } from '../backups/recover.ts'
import { restoreBackup } from '../backups/restore.ts'
import { verifyBackup } from '../backups/verify.ts'
import { writeBackup } from '../backups/write-backup.ts'
import { takeInstanceLock } from '../database/instance-lock.ts'
import { formatCount, formatMegabytes } from '../base/figures.ts'
import { openForGood } from '../integrity/verify-pages.ts'
import type { LossCounts } from '../salvage/losses.ts'
import { answeringCommand, commonUsage, type Printed } from './command.ts'
import { requireData } from './data-directory.ts'

// `listwright backup …`: copies of the database, also where the application does not start any more.

const usage = `Usage: listwright backup create [FILE]
       listwright backup list
       listwright backup verify FILE
       listwright backup restore FILE
       listwright backup recover

create   copies the database, beside an application that runs as well, and reads the copy back
list     tells the backups in the data directory, the newest first
verify   reads a backup from its first byte to its last, and ends with status 1 where something is wrong
restore  puts a backup in the place of the data; what is there now is put aside first. While no application runs
recover  makes a backup of what can be read of damaged data, and a list of what was lost. While no application runs

A FILE is a path, or the name of one in the data directory. A backup holds everything but files that were uploaded,
logs of imports and messages in the outbox.

${commonUsage}`

export const backupCommand = answeringCommand(usage, {}, async (values, [action = '', ...rest]) => {
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined
  const [file, ...others] = rest
  if (!run || others.length > 0 || (['list', 'recover'].includes(action) && file !== undefined))
    throw new Error('backup is followed by create [FILE], list, verify FILE, restore FILE or recover')
  // Copies hold what the data hold, and are for the same eyes.
  process.umask(0o077)
  return run(resolve(values['data-dir']), file)
})

const actions: Record<string, (dataDirectory: string, file: string | undefined) => Promise<Printed>> = {
  create,
  list,
  verify,
  restore,
  recover
}

async function create(dataDirectory: string, file: string | undefined): Promise<Printed> {
  const database = join(requireData(dataDirectory), 'listwright.db')
  const path =
    file === undefined ? join(dataDirectory, backupFolder, backupName('manual', Date.now())) : resolve(file)
  const { subscribers } = await writeBackup(database, path)
  const { size: bytes } = statSync(path)
  return {
    json: { file: path, bytes, subscribers },
    text: `${path}\n${formatCount(subscribers)} subscribers, ${formatMegabytes(bytes)}, read back without a fault.`
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

async function verify(dataDirectory: string, file: string | undefined): Promise<Printed> {
  const path = backupNamed(dataDirectory, file, 'verify')
  const { ok, faults, subscribers, tables } = await verifyBackup(path)
  return {
    json: { file: path, ok, faults, subscribers, tables },
    text: ok
      ? `${path} is whole: ${formatCount(subscribers)} subscribers.`
      : [`${path} cannot be used:`, ...faults.map((fault) => `  ${fault}`)].join('\n'),
    isNegative: !ok
  }
}

async function restore(dataDirectory: string, file: string | undefined): Promise<Printed> {
  const path = backupNamed(dataDirectory, file, 'restore')
  await makeDirectory(dataDirectory)
  const lock = takeInstanceLock(dataDirectory)
  try {
    const { setAside, found } = await restoreBackup(dataDirectory, path, Date.now())
    return {
      json: { restored: path, set_aside: setAside, subscribers: found.subscribers },
      text: [
        `${path} is in place: ${formatCount(found.subscribers)} subscribers.`,
        ...(setAside === null ? [] : [`What was there before: ${setAside}`])
      ].join('\n')
    }
  } finally {
    lock.release()
  }
}

async function recover(dataDirectory: string): Promise<Printed> {
  const databasePath = join(requireData(dataDirectory), 'listwright.db')
  const lock = takeInstanceLock(dataDirectory)
  try {
    const name = backupName('recovered', Date.now())
    const path = join(dataDirectory, backupFolder, name)
    const database = { databasePath, file: openForGood(databasePath) }
    const { found, losses, lossesFile } = await recoverBackup(database, path)
    return {
      json: { file: path, subscribers: found.subscribers, losses, losses_file: lossesFile },
      text: [
        `${path}: ${formatCount(found.subscribers)} subscribers. The damaged data was left as it is.`,
        ...lossSentences(losses),
        `The list of what was lost: ${lossesFile}`,
        `To go on with what was recovered: listwright backup restore ${name}`
      ].join('\n')
    }
  } finally {
    lock.release()
  }
}

function lossSentences({ lost, removed, replaced, doubtful, stopped }: LossCounts): string[] {
  const sentences: [number, string][] = [
    [lost + removed, 'records are lost.'],
    [replaced, 'records were lost that others belong to, and were replaced by empty ones.'],
    [doubtful, 'records stand where the file was changed: see whether they are right.'],
    [stopped, 'things that were going on were stopped.']
  ]
  const told = sentences.filter(([count]) => count > 0)
  if (told.length === 0) return ['Nothing was lost.']
  return told.map(([count, sentence]) => `${formatCount(count)} ${sentence}`)
}

/** A path, or the name of a backup in the data directory. */
function backupNamed(dataDirectory: string, file: string | undefined, action: string): string {
  if (file === undefined)
    throw new Error(`backup ${action} is followed by a file, or a name that "backup list" shows`)
  const inFolder = join(dataDirectory, backupFolder, file)
  return !existsSync(file) && existsSync(inFolder) ? inFolder : resolve(file)
}

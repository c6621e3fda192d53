import { open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { englishOf, refusal } from '../../base/refusal.ts'
import { MailboxUnavailable } from './plan.ts'

/** A message in a Maildir. */
export interface DeliveredMessage {
  path: string
  /** When the file last changed, which delivering and moving it do; in UNIX milliseconds. */
  changedAt: number
}

/** Returns the messages that changed at a time (UNIX milliseconds) or later, in that order. @throws MailboxUnavailable */
export async function messagesSince(folder: string, since: number): Promise<DeliveredMessage[]> {
  const found: DeliveredMessage[] = []
  // In this order: mail programs move messages from new to cur meanwhile.
  for (const part of ['new', 'cur']) {
    for (const name of await namesIn(folder, part)) {
      const path = join(folder, part, name)
      const changedAt = await changeOf(path)
      if (changedAt !== null && changedAt >= since) found.push({ path, changedAt })
    }
  }
  return found.sort((a, b) => a.changedAt - b.changedAt)
}

/** Returns the beginning of a message; null if another program has moved or deleted it. */
export async function readBeginning(
  path: string,
  most: number
): Promise<{ raw: Buffer; isWhole: boolean } | null> {
  const file = await open(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadable(path, error)
  })
  if (!file) return null
  try {
    const buffer = Buffer.alloc(most + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.length) break
    }
    return { raw: buffer.subarray(0, Math.min(length, most)), isWhole: length <= most }
  } finally {
    await file.close()
  }
}

/** Deletes a message; one that is gone is no fault. */
export async function deleteMessage(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable(path, error)
  })
}

async function namesIn(folder: string, part: string): Promise<string[]> {
  try {
    return (await readdir(join(folder, part))).filter((name) => !name.startsWith('.'))
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
    if (isMissing)
      throw new MailboxUnavailable(englishOf(refusal('maildir_missing', { path: folder })), false)
    throw unreadable(folder, error)
  }
}

/** @returns null for what is no file, and for one that was moved meanwhile, which is another one then */
async function changeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path)
    return found.isFile() ? Math.floor(found.ctimeMs) : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): MailboxUnavailable {
  return new MailboxUnavailable(`${path}: ${messageOf(error)}`.slice(0, 500), false)
}

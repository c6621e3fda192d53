import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OutgoingMessage, Transport } from './transport.ts'

export function outboxDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'outbox')
}

/** The file of a campaign's messages, in a format that mail programs open (RFC 4155). */
export function outboxPath(dataDirectory: string, campaignId: number): string {
  return join(outboxDirectory(dataDirectory), `campaign-${campaignId}.mbox`)
}

/** Returns the campaign of an outbox file; null for other files. */
export function campaignOfOutbox(name: string): number | null {
  const id = /^campaign-(\d+)\.mbox$/.exec(name)?.[1]
  return id === undefined ? null : Number(id)
}

export function previewOutboxPath(dataDirectory: string, organizationId: number): string {
  return join(outboxDirectory(dataDirectory), `previews-${organizationId}.mbox`)
}

export function isPreviewOutbox(name: string): boolean {
  return /^previews-\d+\.mbox$/.test(name)
}

/**
 * Opens a file that collects messages. The position is its length in bytes.
 * @param position where to continue; `end` appends
 */
export function openOutbox(path: string, position: number | 'end'): Transport {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'a')
  // If the file was emptied or removed, writing continues at its new end; the sent messages stay counted as
  // sent.
  const size = fstatSync(file).size
  let end = position === 'end' ? size : Math.min(position, size)
  if (position !== 'end') ftruncateSync(file, end)
  return {
    send: (messages) => {
      const bytes = Buffer.concat(messages.map(mboxEntry))
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
      fdatasyncSync(file)
      return (end += bytes.length)
    },
    takeBack: (before) => {
      end = Math.min(before, end)
      ftruncateSync(file, end)
    },
    close: () => closeSync(file)
  }
}

/** A line that begins like a separator gets a ">", as all that begin with some of these do, so that it can be undone. */
function mboxEntry({ envelope, content }: OutgoingMessage): Buffer {
  const message = content
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replaceAll(/^(>*From )/gm, '>$1')
  const date = new Date().toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1 $3 $2 $5 $4')
  return Buffer.from(
    `From ${envelope.from} ${date}\n${message}${message.endsWith('\n') ? '' : '\n'}\n`,
    'latin1'
  )
}

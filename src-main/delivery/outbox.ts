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

/** The file of an autoresponder's messages. */
export function autoresponderOutboxPath(dataDirectory: string, autoresponderId: number): string {
  return join(outboxDirectory(dataDirectory), `autoresponder-${autoresponderId}.mbox`)
}

/** The file of a form's confirmation messages. */
export function confirmationOutboxPath(dataDirectory: string, webFormId: number): string {
  return join(outboxDirectory(dataDirectory), `confirmations-${webFormId}.mbox`)
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
      const bytes = mboxEntries(messages)
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

const [carriageReturn, lineFeed, greater, letterF] = [13, 10, 62, 70]

/**
 * Writes messages as entries of an mbox file. A line that begins like a separator gets a ">", as all that begin with some of these do, so that
 * it can be undone.
 */
function mboxEntries(messages: readonly OutgoingMessage[]): Buffer {
  const date = new Date().toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1 $3 $2 $5 $4')
  const heads = messages.map(({ envelope }) => Buffer.from(`From ${envelope.from} ${date}\n`))
  // A line that gets a ">" has at least six bytes.
  const bytesOf = ({ length }: Buffer): number => length + Math.ceil(length / 6) + 2
  const most = messages.reduce(
    (sum, { content }, index) => sum + (heads[index]?.length ?? 0) + bytesOf(content),
    0
  )
  const entries = Buffer.allocUnsafe(most)
  let to = 0
  for (const [index, { content }] of messages.entries()) {
    to += heads[index]?.copy(entries, to) ?? 0
    for (let at = 0; at < content.length;) {
      const lineBreak = content.indexOf(lineFeed, at)
      const next = lineBreak < 0 ? content.length : lineBreak
      if (isSeparator(content, at)) entries[to++] = greater
      to += content.copy(entries, to, at, content[next - 1] === carriageReturn ? next - 1 : next)
      entries[to++] = lineFeed
      at = next + 1
    }
    entries[to++] = lineFeed
  }
  return entries.subarray(0, to)
}

function isSeparator(content: Buffer, lineStart: number): boolean {
  let at = lineStart
  while (content[at] === greater) at++
  return content[at] === letterF && content.toString('latin1', at, at + 5) === 'From '
}

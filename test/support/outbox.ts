import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface FiledMessage {
  /** Lower-cased name -> value, unfolded. */
  headers: Map<string, string>
  /** Everything after the headers, decoded if it is a single part. */
  body: string
}

export async function outboxOf(dataDirectory: string, campaignId: number): Promise<FiledMessage[]> {
  return messagesIn(join(dataDirectory, 'outbox', `campaign-${campaignId}.mbox`))
}

/** The first message of a campaign's outbox, as it is in the file. */
export async function firstMessageOf(dataDirectory: string, campaignId: number): Promise<Buffer> {
  const file = await readFile(join(dataDirectory, 'outbox', `campaign-${campaignId}.mbox`))
  const start = file.indexOf('\n') + 1
  const end = file.indexOf('\nFrom ', start)
  return file.subarray(start, end < 0 ? undefined : end)
}

/** The messages of an mbox file (RFC 4155); none where there is no file. */
export async function messagesIn(path: string): Promise<FiledMessage[]> {
  let text
  try {
    text = await readFile(path, 'latin1')
  } catch {
    return []
  }
  return text
    .split(/^From .*\n/m)
    .slice(1)
    .map(readMessage)
}

function readMessage(text: string): FiledMessage {
  const end = text.indexOf('\n\n')
  const headers = new Map(
    text
      .slice(0, end)
      .replaceAll(/\n[ \t]+/g, ' ')
      .split('\n')
      .map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      })
  )
  const body = text.slice(end + 2).replaceAll(/^>(>*From )/gm, '$1')
  const isQuoted = headers.get('content-transfer-encoding') === 'quoted-printable'
  return { headers, body: isQuoted || body.includes('quoted-printable') ? unquoted(body) : body }
}

function unquoted(text: string): string {
  const bytes = text
    .replaceAll(/=\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, code: string) => String.fromCharCode(parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

import { parentPort } from 'node:worker_threads'
import { threadData } from '../base/threads.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { databasePathIn } from '../database/database-path.ts'
import { type ComposedMessage, carriedFiles, MessageComposer } from './message.ts'
import { signMessage } from './mime/dkim.ts'
import { signerFor } from './signing.ts'
import { openOutbox, previewOutboxPath } from './outbox.ts'
import type { PreviewOutcome, PreviewTask, ServerUnreachable } from './previews.ts'
import type { SmtpOutcome } from './smtp/outcome.ts'
import { SmtpSession, SmtpUnavailable } from './smtp/smtp-session.ts'

// Composes and sends the messages of one preview. Some hundreds of them take longer than the API's thread may be
// blocked.

/** How long a server may take for a reply, in milliseconds: a user is waiting. */
const patience = 30_000

const { dataDirectory, message, recipients, values, splitByFormat, server, signingKeys } =
  threadData() as PreviewTask
const reader = kyselyOver(openForReading(databasePathIn(dataDirectory)))
const composer = new MessageComposer(message, await carriedFiles(reader, message))
await reader.destroy()
if (server) await sendAll(server)
else writeAll()

function* messages(): Generator<ComposedMessage & { contentId: number }> {
  for (const email of recipients) {
    const addressee = { id: 0, email, subscribe_time: Date.now(), subscribe_ip: null, values }
    for (const content of message.contents) {
      const formats = splitByFormat && content.format === 'both' ? (['html', 'text'] as const) : [null]
      for (const format of formats) {
        yield { ...composer.compose(content.id, { ...addressee, format }), contentId: content.id }
      }
    }
  }
}

function writeAll(): void {
  const outbox = openOutbox(previewOutboxPath(dataDirectory, message.organizationId), 'end')
  try {
    for (const each of messages()) outbox.send([each])
  } finally {
    outbox.close()
  }
}

async function sendAll(to: NonNullable<PreviewTask['server']>): Promise<void> {
  try {
    let session = await SmtpSession.open(to, to.secret, { patience })
    const signer = signerFor(message.sender.from_email, signingKeys)
    for (const { envelope, contentId, content: unsigned } of messages()) {
      const content = signer ? await signMessage(unsigned, signer, Date.now()) : unsigned
      if (!session.isOpen) session = await SmtpSession.open(to, to.secret, { patience })
      report(
        outcomeOf(
          { contentId, recipient: envelope.to },
          await session.send(envelope, content, () => undefined)
        )
      )
    }
    session.quit()
  } catch (error) {
    if (!(error instanceof SmtpUnavailable)) throw error
    report({ unreachable: error.fault.words })
  }
}

/** A preview is tried once, so that a refusal for now is a failure as well. */
function outcomeOf(
  of: Pick<PreviewOutcome, 'contentId' | 'recipient'>,
  outcome: SmtpOutcome
): PreviewOutcome {
  switch (outcome.is) {
    case 'accepted':
    case 'uncertain':
      return { ...of, state: outcome.is, code: null, reply: outcome.reply }
    case 'refused':
    case 'deferred':
      return { ...of, state: 'failed', code: outcome.code, reply: outcome.reply }
    case 'unsent':
      return { ...of, state: 'failed', code: null, reply: outcome.fault?.words ?? '' }
  }
}

function report(outcome: PreviewOutcome | ServerUnreachable): void {
  parentPort?.postMessage(outcome)
}

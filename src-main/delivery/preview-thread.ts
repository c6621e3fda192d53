import { threadData } from '../base/threads.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { imagesCarried, MessageComposer } from './message.ts'
import { openOutbox, previewOutboxPath } from './outbox.ts'
import type { PreviewTask } from './previews.ts'
import { databasePathIn } from '../database/database-path.ts'

// Composes the messages of one preview. Some hundreds of them take longer than the API's thread may be
// blocked.

const { dataDirectory, message, recipients, values, splitByFormat } = threadData() as PreviewTask
const reader = kyselyOver(openForReading(databasePathIn(dataDirectory)))
const composer = new MessageComposer(message, await imagesCarried(reader, message))
await reader.destroy()
const outbox = openOutbox(previewOutboxPath(dataDirectory, message.organizationId), 'end')
try {
  for (const email of recipients) {
    const addressee = { id: 0, email, subscribe_time: Date.now(), subscribe_ip: null, values }
    for (const content of message.contents) {
      const formats = splitByFormat && content.format === 'both' ? (['html', 'text'] as const) : [null]
      for (const format of formats) outbox.send([composer.compose(content.id, { ...addressee, format })])
    }
  }
} finally {
  outbox.close()
}

import { AskedThread } from '../base/asked-thread.ts'
import { startThread } from '../base/threads.ts'
import type { ReceivedReading } from './read-received.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    messageReader: MessageReader
  }
}

/** Reads received messages outside of the API's thread, which a large one would hold up. */
export class MessageReader {
  readonly #thread = new AskedThread<Uint8Array, ReceivedReading>(() =>
    startThread(import.meta.url, 'receiving-thread', { name: 'received messages' })
  )

  read(raw: Uint8Array): Promise<ReceivedReading> {
    return this.#thread.ask(raw)
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

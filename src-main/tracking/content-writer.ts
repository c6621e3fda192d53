import { AskedThread } from '../base/asked-thread.ts'
import { startThread } from '../base/threads.ts'
import type { TokenContent } from '../api/subscribers/tokens.ts'
import type { ContentPreviewTask, WrittenPreview } from '../delivery/content-preview.ts'
import type { WrittenContent } from '../delivery/message.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    contents: ContentWriter
  }
}

export type ContentQuestion =
  | { ask: 'preview'; task: ContentPreviewTask }
  | { ask: 'message'; named: TokenContent; linkBase: string }
  | { ask: 'link'; named: TokenContent; url: string; linkBase: string }

/** Writes contents outside of the API's thread, which a large one would hold up. */
export class ContentWriter {
  readonly #thread: AskedThread<ContentQuestion, unknown>

  constructor(databasePath: string) {
    this.#thread = new AskedThread(() =>
      startThread(import.meta.url, 'content-thread', { data: databasePath, name: 'contents' })
    )
  }

  preview(task: ContentPreviewTask): Promise<WrittenPreview> {
    return this.#thread.ask({ ask: 'preview', task }) as Promise<WrittenPreview>
  }

  /** The message that a token names, as it would be written now; null when the campaign or the subscriber was deleted. */
  message(named: TokenContent, linkBase: string): Promise<WrittenContent | null> {
    return this.#thread.ask({ ask: 'message', named, linkBase }) as Promise<WrittenContent | null>
  }

  /** Returns the target of a link whose address contains codes; null if the message's content is gone. */
  link(named: TokenContent, url: string, linkBase: string): Promise<string | null> {
    return this.#thread.ask({ ask: 'link', named, url, linkBase }) as Promise<string | null>
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

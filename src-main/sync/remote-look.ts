import { AskedThread } from '../base/asked-thread.ts'
import { validationFailed } from '../base/errors.ts'
import { startThread } from '../base/threads.ts'
import type { LookInput } from './read-only-run.ts'
import type { ListMatch, Verification } from './schema.ts'

export type LookQuestion = { ask: 'preview' | 'verify'; input: LookInput }
/** What was seen, or why the remote does not let anybody look. */
export type LookAnswer = { seen: ListMatch[] | Verification } | { refused: string }

/** Looks at a remote in a thread of its own: it reads all of both sides, and changes neither. */
export class RemoteLook {
  readonly #thread = new AskedThread<LookQuestion, LookAnswer>(() =>
    startThread(import.meta.url, 'remote-look-thread', { name: 'remote look' })
  )

  /** @throws ApiError validation_failed saying what keeps the remote from being looked at */
  preview(input: LookInput): Promise<ListMatch[]> {
    return this.#ask('preview', input) as Promise<ListMatch[]>
  }

  /** @throws ApiError validation_failed saying what keeps the remote from being looked at */
  verify(input: LookInput, signal: AbortSignal): Promise<Verification> {
    return this.#ask('verify', input, signal) as Promise<Verification>
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #ask(ask: LookQuestion['ask'], input: LookInput, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#thread.ask({ ask, input }, signal)
    if ('refused' in answer) throw validationFailed(answer.refused)
    return answer.seen
  }
}

import { type Refusal } from '../base/refusal.ts'
import { AskedThread } from '../base/asked-thread.ts'
import { validationFailed } from '../base/errors.ts'
import { startThread } from '../base/threads.ts'
import type { LookInput } from './read-only-run.ts'
import type { ListMatch, Verification } from './schema.ts'

export type LookQuestion = { ask: 'preview' | 'verify'; input: LookInput }
/** The result of a comparison, or the remote's reason for refusing it. */
export type LookAnswer = { seen: ListMatch[] | Verification } | { refused: Refusal }

/** Compares both sides in a thread of its own, and changes neither. */
export class RemoteLook {
  readonly #thread = new AskedThread<LookQuestion, LookAnswer>(() =>
    startThread(import.meta.url, 'remote-look-thread', { name: 'remote look' })
  )

  /** @throws ApiError validation_failed with why the remote cannot be read */
  preview(input: LookInput): Promise<ListMatch[]> {
    return this.#ask('preview', input) as Promise<ListMatch[]>
  }

  /** @throws ApiError validation_failed with why the remote cannot be read */
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

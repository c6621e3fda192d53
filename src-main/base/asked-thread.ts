import { parentPort, type Worker } from 'node:worker_threads'
import { messageOf } from './errors.ts'
import { endThread } from './threads.ts'

// A thread that answers questions, so that what takes long holds up neither the API's thread nor the writer's.

type AskedQuestion<Question> = { id: number } & ({ question: Question } | { isGivenUp: true })
/** The code of an error, such as ENOSPC, gives its kind; null = none. */
type ThreadAnswer<Answer> = { id: number } & ({ value: Answer } | { fault: string; code: string | null })

export class AskedThread<Question, Answer> {
  readonly #start: () => Worker
  readonly #waiting = new Map<number, { resolve: (value: Answer) => void; reject: (error: Error) => void }>()
  #thread: Worker | null = null
  #nextId = 1

  constructor(start: () => Worker) {
    this.#start = start
  }

  /**
   * @param signal aborted when the answer is not wanted any more
   * @throws Error what answering it threw, when the thread stopped, or the reason of a signal that is aborted already
   */
  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted()
    const id = this.#nextId++
    const thread = (this.#thread ??= this.#begin())
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      thread.postMessage({ id, question } satisfies AskedQuestion<Question>)
      signal?.addEventListener('abort', () => {
        if (this.#waiting.has(id))
          thread.postMessage({ id, isGivenUp: true } satisfies AskedQuestion<Question>)
      })
    })
  }

  async close(): Promise<void> {
    if (this.#thread) await endThread(this.#thread)
  }

  #begin(): Worker {
    const thread = this.#start()
    thread.on('message', (answer: ThreadAnswer<Answer>) => {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('fault' in answer) waiting?.reject(faultOf(answer))
      else waiting?.resolve(answer.value)
    })
    thread.on('error', (error) => this.#abandon(error as Error))
    thread.on('exit', () => this.#abandon(new Error('the thread that was asked has stopped')))
    return thread
  }

  #abandon(error: Error): void {
    this.#thread = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** Answers the questions of the {@link AskedThread} that started the calling thread. */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, signal: AbortSignal) => Promise<Answer>
): void {
  const asked = new Map<number, AbortController>()
  parentPort?.on('message', (message: AskedQuestion<Question>) => {
    const { id } = message
    if ('isGivenUp' in message) {
      asked.get(id)?.abort()
      return
    }
    const controller = new AbortController()
    asked.set(id, controller)
    answer(message.question, controller.signal)
      .then(
        (value) => parentPort?.postMessage({ id, value } satisfies ThreadAnswer<Answer>),
        (error: unknown) =>
          parentPort?.postMessage({
            id,
            fault: messageOf(error),
            code: codeOf(error)
          } satisfies ThreadAnswer<Answer>)
      )
      .finally(() => asked.delete(id))
  })
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}

function faultOf({ fault, code }: { fault: string; code: string | null }): Error {
  return code === null ? new Error(fault) : Object.assign(new Error(fault), { code })
}

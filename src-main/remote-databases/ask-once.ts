import type { Worker } from 'node:worker_threads'
import { answerQuestions, AskedThread } from '../base/asked-thread.ts'
import { ExplainedError, validationFailed } from '../base/errors.ts'
import type { Refusal } from '../base/refusal.ts'

/** What a thread found in a remote database, or why it found nothing. */
type DatabaseAnswer<Found> = { found: Found } | { refused: Refusal }

/** How long a thread may take to give up after it was asked to, in milliseconds. */
const patience = 3000

/**
 * Asks one question in a thread of its own. SQLite cannot be interrupted in the middle of a step: then the thread is left behind.
 * @param timeLimit in milliseconds
 * @param late what is thrown when the thread does not answer in time
 * @throws ApiError validation_failed with why the database does not answer; the reason of the signal
 */
export async function askOnce<Question, Found>(
  start: () => Worker,
  question: Question,
  { signal, timeLimit, late }: { signal: AbortSignal; timeLimit: number; late: Refusal }
): Promise<Found> {
  const thread = new AskedThread<Question, DatabaseAnswer<Found>>(start)
  const timers: NodeJS.Timeout[] = []
  const onAbort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      timers.push(setTimeout(() => reject(signal.reason as Error), patience))
    )
    timers.push(setTimeout(() => reject(validationFailed(late)), timeLimit + patience))
  })
  try {
    const answer = await Promise.race([thread.ask(question, signal), onAbort])
    signal.throwIfAborted()
    if ('refused' in answer) throw validationFailed(answer.refused)
    return answer.found
  } finally {
    for (const timer of timers) clearTimeout(timer)
    // Not waited for: a thread that is left behind takes two seconds.
    void thread.close()
  }
}

/** Answers the question of {@link askOnce} in the calling thread. */
export function answerAbout<Question, Found>(
  find: (question: Question, signal: AbortSignal) => Promise<Found>
): void {
  answerQuestions(async (question: Question, signal): Promise<DatabaseAnswer<Found>> => {
    try {
      return { found: await find(question, signal) }
    } catch (error) {
      if (error instanceof ExplainedError) return { refused: error.refusal }
      throw error
    }
  })
}

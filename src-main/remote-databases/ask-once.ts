import type { Worker } from 'node:worker_threads'
import { answerQuestions, AskedThread } from '../base/asked-thread.ts'
import { ExplainedError, validationFailed } from '../base/errors.ts'
import { codeOf, rowTooLarge, tooSlow } from './fault.ts'
import { type Refusal, refusal } from '../base/refusal.ts'

/** What a thread found in a remote database, or why it found nothing. */
type DatabaseAnswer<Found> = { found: Found } | { refused: Refusal }

/** Threads that users wait for, also those that were left behind. */
const userThreads = new Set<Worker>()
const maxUserThreads = 4

/**
 * Like {@link askOnce}, for a user.
 * @throws ApiError validation_failed also if too many threads are at work
 */
export function askForUser<Question, Found>(
  start: () => Worker,
  question: Question,
  limits: AskLimits
): Promise<Found> {
  if (userThreads.size >= maxUserThreads)
    throw validationFailed(refusal('too_many_queries', { most: maxUserThreads }))
  const startCounted = (): Worker => {
    const thread = start()
    userThreads.add(thread)
    thread.once('exit', () => userThreads.delete(thread))
    return thread
  }
  return askOnce(startCounted, question, limits)
}

interface AskLimits {
  signal: AbortSignal
  /** Milliseconds. */
  timeLimit: number
  /** Of the database, for the sentence when it does not answer in time. */
  name: string
}

/** How long a thread may take to give up after it was asked to, in milliseconds. */
const patience = 3000

/**
 * Asks one question in a thread of its own. SQLite cannot be interrupted in the middle of a step: then the thread is left behind.
 * @throws ApiError validation_failed with why the database does not answer; the reason of the signal
 */
export async function askOnce<Question, Found>(
  start: () => Worker,
  question: Question,
  { signal, timeLimit, name }: AskLimits
): Promise<Found> {
  const thread = new AskedThread<Question, DatabaseAnswer<Found>>(start)
  const timers: NodeJS.Timeout[] = []
  const onAbort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      timers.push(setTimeout(() => reject(signal.reason as Error), patience))
    )
    timers.push(
      setTimeout(() => reject(validationFailed(tooSlow(name, timeLimit).refusal)), timeLimit + patience)
    )
  })
  try {
    const answer = await Promise.race([thread.ask(question, signal), onAbort]).catch(explainMemory)
    signal.throwIfAborted()
    if ('refused' in answer) throw validationFailed(answer.refused)
    return answer.found
  } finally {
    for (const timer of timers) clearTimeout(timer)
    // Not waited for: a thread that is left behind takes two seconds.
    void thread.close()
  }
}

/** A row that is too large for the thread's memory ends it. */
function explainMemory(error: unknown): never {
  if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') throw validationFailed(rowTooLarge().refusal)
  throw error
}

/** Answers the question of {@link askOnce} in the calling thread. */
export function answerDatabaseQuestion<Question, Found>(
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

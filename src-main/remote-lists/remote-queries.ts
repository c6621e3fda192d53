import { validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { startThread } from '../base/threads.ts'
import { askOnce } from '../remote-databases/ask-once.ts'
import type { QueryQuestion, QueryResult } from './query.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    remoteQueries: RemoteQueries
  }
}

/** Queries that are tried at the same time: each has a thread. */
const mostAtOnce = 4

/** Tries queries outside of the API's thread. */
export class RemoteQueries {
  #running = 0

  /** @throws ApiError validation_failed with why the query returns no recipients */
  async run(question: QueryQuestion, signal: AbortSignal): Promise<QueryResult> {
    if (this.#running >= mostAtOnce) throw validationFailed(refusal('too_many_queries', { most: mostAtOnce }))
    this.#running++
    try {
      const { target, timeLimit } = question
      return await askOnce(
        () => startThread(import.meta.url, 'query-thread', { name: 'database query' }),
        question,
        {
          ...{ signal, timeLimit },
          late: refusal('query_too_slow', { name: target.name, seconds: Math.round(timeLimit / 1000) })
        }
      )
    } finally {
      this.#running--
    }
  }
}

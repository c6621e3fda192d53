import { startThread } from '../base/threads.ts'
import { askForUser } from '../remote-databases/ask-once.ts'
import type { QueryQuestion, QueryResult } from './query.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    remoteQueries: RemoteQueries
  }
}

/** Tries queries outside of the API's thread. */
export class RemoteQueries {
  /** @throws ApiError validation_failed with why the query returns no recipients */
  run(question: QueryQuestion, signal: AbortSignal): Promise<QueryResult> {
    const { target, timeLimit } = question
    return askForUser(
      () => startThread(import.meta.url, 'query-thread', { name: 'database query' }),
      question,
      { signal, timeLimit, name: target.name }
    )
  }
}

import { startThread } from '../base/threads.ts'
import { askForUser } from './ask-once.ts'
import type { DatabaseTarget } from './remote-database.ts'
import { type DatabaseTest, testTimeLimit } from './test-database.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    remoteDatabases: RemoteDatabases
  }
}

/** Tests connections to databases outside of the API's thread. */
export class RemoteDatabases {
  test(target: DatabaseTarget, signal: AbortSignal): Promise<DatabaseTest> {
    return askForUser(() => startThread(import.meta.url, 'test-thread', { name: 'database test' }), target, {
      signal,
      timeLimit: testTimeLimit,
      name: target.name
    })
  }
}

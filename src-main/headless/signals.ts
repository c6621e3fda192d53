import type { Application } from '../app.ts'
import { messageOf } from '../base/errors.ts'

const ending = new WeakSet<Application>()

/** Ends the application in order and then the process, once. */
export function endApplication(app: Application, status: number): void {
  if (ending.has(app)) return
  ending.add(app)
  app.close().then(
    () => process.exit(status),
    (error: unknown) => {
      process.stderr.write(`Listwright did not shut down cleanly: ${messageOf(error)}\n`)
      process.exit(1)
    }
  )
}

/**
 * SIGTERM and SIGINT end the application in order, with status 0, also one that is still starting; a failure of its own ends it with
 * status 1.
 */
export function endOnSignal(starting: Promise<Application>): void {
  const end = (): void =>
    void starting.then(
      (app) => endApplication(app, 0),
      // It did not start, which is told where it is waited for.
      () => undefined
    )
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  starting.then(
    (app) =>
      app.onFailure((error) => {
        process.stderr.write(`Listwright must stop: ${error.message}\n`)
        endApplication(app, 1)
      }),
    () => {
      // The process goes on, for a window of the application that has the data, and is to be ended as any other.
      process.off('SIGTERM', end)
      process.off('SIGINT', end)
    }
  )
}

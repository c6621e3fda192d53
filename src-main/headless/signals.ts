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

/** SIGTERM and SIGINT end the application in order, with status 0; a failure of its own ends it with status 1. */
export function endOnSignal(app: Application): void {
  process.on('SIGTERM', () => endApplication(app, 0))
  process.on('SIGINT', () => endApplication(app, 0))
  app.onFailure((error) => {
    process.stderr.write(`Listwright has to stop: ${error.message}\n`)
    endApplication(app, 1)
  })
}

import type { Application } from '../app.ts'
import { messageOf } from '../errors.ts'

/** SIGTERM and SIGINT end the application in order, with status 0; a failure of its own ends it with status 1. */
export function endOnSignal(app: Application): void {
  let ending = false
  const end = (status: number): void => {
    if (ending) return
    ending = true
    app.close().then(
      () => process.exit(status),
      (error: unknown) => {
        process.stderr.write(`Listwright did not end in order: ${messageOf(error)}\n`)
        process.exit(1)
      }
    )
  }
  process.on('SIGTERM', () => end(0))
  process.on('SIGINT', () => end(0))
  app.onFailure((error) => {
    process.stderr.write(`Listwright cannot go on: ${error.message}\n`)
    end(1)
  })
}

import { existsSync } from 'node:fs'
import type { Application } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { hasThreadsLeft } from '../base/threads.ts'

const ending = new WeakSet<Application>()

/** Ends the application in order and then the process, once. */
export function endApplication(app: Application, status: number): void {
  if (ending.has(app)) return
  ending.add(app)
  app.close().then(
    () => exitProcess(status),
    (error: unknown) => {
      process.stderr.write(`Listwright did not shut down cleanly: ${messageOf(error)}\n`)
      exitProcess(1)
    }
  )
}

const endingWith: Record<number, string> = { 0: '/bin/true', 1: '/bin/false' }

/**
 * Ends the process, also where a thread is in the middle of what cannot be interrupted: process.exit() waits for all threads. The system
 * ends them when another program takes the place of this one.
 */
function exitProcess(status: number): void {
  const program = endingWith[status]
  if (hasThreadsLeft() && process.execve && program !== undefined && existsSync(program)) {
    process.execve(program, [program], {})
  }
  if (hasThreadsLeft()) process.kill(process.pid, 'SIGKILL')
  process.exit(status)
}

/**
 * SIGTERM and SIGINT end the application in order, with status 0, also one that is still starting; a failure of its own ends it with
 * status 1.
 */
export function endOnSignal(starting: Promise<Application>): void {
  const end = (): void =>
    void starting.then(
      (app) => endApplication(app, 0),
      // The start failed, which the caller reports.
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
      // From here the process only waits for a window of the running application, so a signal must end it as
      // usual.
      process.off('SIGTERM', end)
      process.off('SIGINT', end)
    }
  )
}

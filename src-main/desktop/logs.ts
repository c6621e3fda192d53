import { app } from 'electron'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RotatingFile } from '../base/rotating-file.ts'

const limits = { maxBytes: 1_000_000, kept: 4 }

export function logDirectory(): string {
  return app.getPath('logs')
}

function logPath(): string {
  return join(logDirectory(), 'listwright.log')
}

/** Stores what is printed to standard error, which a windowed program does not show. */
export function storeLogs(): void {
  // Also on macOS, which would have one folder of logs for every data directory.
  app.setAppLogsPath(join(app.getPath('userData'), 'logs'))
  const file = new RotatingFile(logPath(), limits)
  const write = process.stderr.write.bind(process.stderr)
  const keeping = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    try {
      file.append(`${new Date().toISOString()} ${text}${text.endsWith('\n') ? '' : '\n'}`)
    } catch {
      // On a full disk even this cannot be reported.
    }
    return write(chunk, ...(rest as []))
  }
  process.stderr.write = keeping
  app.on('quit', () => {
    process.stderr.write = write
  })
  file.append(`${new Date().toISOString()} Listwright ${app.getVersion()} starts\n`)
}

export function lastLines(lines: number): string[] {
  if (!existsSync(logPath())) return []
  return readFileSync(logPath(), 'utf8').trimEnd().split('\n').slice(-lines)
}

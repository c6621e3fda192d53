import { clipboard } from 'electron'
import { statSync } from 'node:fs'
import { arch, freemem, homedir, release, totalmem } from 'node:os'
import type { Application } from '../app.ts'
import { formatMegabytes } from '../base/figures.ts'
import { lastLines } from './logs.ts'
import { databasePathIn } from '../database/database-path.ts'

/** Puts what helps to find a fault on the clipboard: versions, sizes and the last lines of the log. Nothing of it is personal. */
export async function copyDiagnostics(application: Application): Promise<void> {
  await clipboard.writeText(await diagnostics(application))
}

async function diagnostics(application: Application): Promise<string> {
  const { electron, chrome, node } = process.versions
  const { about, dataDirectory } = application
  const running = await application.runningJobs()
  return [
    `Listwright ${about.version}`,
    `${process.platform} ${release()}, ${arch()}`,
    `Electron ${electron ?? 'none'}, Chromium ${chrome ?? 'none'}, Node ${node}`,
    `Memory: ${formatMegabytes(freemem())} of ${formatMegabytes(totalmem())} free, ${formatMegabytes(process.memoryUsage().rss)} used`,
    `Database: ${sizeOf(databasePathIn(dataDirectory))}, its log ${sizeOf(`${databasePathIn(dataDirectory)}-wal`)}`,
    `Running jobs: ${running.length === 0 ? 'none' : running.map(({ type, state }) => `${type} ${state}`).join(', ')}`,
    '',
    ...lastLines(50).map(withoutPersons)
  ].join('\n')
}

/** Addresses are people, and so is the name of a home directory. */
function withoutPersons(line: string): string {
  return line
    .replaceAll(homedir(), '~')
    .replaceAll(/[^\s"'<>,;:()=]+@[^\s"'<>,;:()]+/g, '(address)')
    .replaceAll(/sign_in=\w+/g, 'sign_in=(token)')
}

function sizeOf(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  return size === undefined ? 'none' : formatMegabytes(size)
}

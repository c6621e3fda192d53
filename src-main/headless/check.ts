import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { driftsOfImports } from '../imports/recount.ts'
import { type Drift, recount } from '../api/subscriber-counts/recount.ts'
import { defaultDataDirectory } from './arguments.ts'
import { openDataDirectory } from './data-directory.ts'

// `npm run serve -- check`: whether what is kept as counters is what is there, also beside an application that runs.

/**
 * Prints what was counted, and each counter that drifted; then the process ends with status 1.
 * @param args what follows `check` on the command line. @throws Error with a sentence for the user
 */
export async function checkCounters(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { 'data-dir': { type: 'string', default: defaultDataDirectory() } }
  })
  const data = openDataDirectory(values['data-dir'])
  try {
    const { subscribers, suppressedAddresses, events, drifts: counters } = await recount(data.reader)
    const drifts = [...counters, ...(await driftsOfImports(data.reader, resolve(values['data-dir'])))]
    const counted = [
      `${formatCount(subscribers)} subscribers`,
      `${formatCount(suppressedAddresses)} suppressed addresses`,
      `${formatCount(events)} events of campaigns`
    ]
    const verdict =
      drifts.length === 0 ? 'every counter agrees' : `counters that differ: ${formatCount(drifts.length)}`
    process.stdout.write(`Counted ${counted.join(', ')}: ${verdict}.\n`)
    process.stdout.write(drifts.map((drift) => `${sentenceOf(drift)}\n`).join(''))
    if (drifts.length > 0) process.exitCode = 1
  } finally {
    await data.close()
  }
}

function sentenceOf({ counter, kept, found }: Drift): string {
  return `${counter}: ${formatCount(kept)} recorded, ${formatCount(found)} found`
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

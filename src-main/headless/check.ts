import { resolve } from 'node:path'
import { driftsOfImports } from '../imports/recount.ts'
import { type Drift, recount } from '../api/subscriber-counts/recount.ts'
import { formatCount } from './figures.ts'
import { answeringCommand, commonUsage } from './command.ts'
import { openDataDirectory } from './data-directory.ts'

// `listwright check`: whether what is kept as counters is what is there, also beside an application that runs.

const usage = `Usage: listwright check

Counts again what is kept as counters, and compares finished imports with their logs. Ends with status 1 where they differ.

${commonUsage}`

export const checkCommand = answeringCommand(usage, {}, async (values, positionals) => {
  if (positionals.length > 0)
    throw new Error(`check is followed by nothing, and "${positionals[0]}" is something`)
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
    return {
      json: {
        ok: drifts.length === 0,
        subscribers,
        suppressed_addresses: suppressedAddresses,
        events,
        differences: drifts.map(({ counter, kept, found }) => ({ counter, recorded: kept, found }))
      },
      text: [`Counted ${counted.join(', ')}: ${verdict}.`, ...drifts.map(sentenceOf)].join('\n'),
      isNegative: drifts.length > 0
    }
  } finally {
    await data.close()
  }
})

function sentenceOf({ counter, kept, found }: Drift): string {
  return `${counter}: ${formatCount(kept)} recorded, ${formatCount(found)} found`
}

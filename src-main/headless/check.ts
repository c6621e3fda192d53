import { resolve } from 'node:path'
import { examineStructure } from '../integrity/examine.ts'
import { isUnreadable } from '../integrity/structure.ts'
import { driftsOfImports } from '../imports/recount.ts'
import { type Drift, recount } from '../api/subscriber-counts/recount.ts'
import { formatCount } from '../base/figures.ts'
import { answeringCommand, commonUsage } from './command.ts'
import { changesByOthers, openDataDirectory, requireData } from './data-directory.ts'
import { databasePathIn } from '../database/database-path.ts'

// `listwright check`: compares the stored counters with the data, also while the application runs.

const usage = `Usage: listwright check

Reads the whole database: checks its structure and, if the application is not running, compares each page with what was last
written. Recounts all stored counters and compares finished imports with their logs. Exits with status 1 if something is wrong.

${commonUsage}`

export const checkCommand = answeringCommand(usage, {}, async (values, positionals) => {
  if (positionals.length > 0) throw new Error(`check takes no arguments, and was given "${positionals[0]}"`)
  const data = openDataDirectory(values['data-dir'])
  try {
    const damage = damageOf(requireData(values['data-dir']))
    const { subscribers, suppressedAddresses, events, drifts: counters } = await recount(data.reader)
    const imports = await driftsOfImports(data.reader, resolve(values['data-dir']))
    const drifts = [...counters, ...imports.drifts]
    const counted = [
      `${formatCount(subscribers)} subscribers`,
      `${formatCount(suppressedAddresses)} suppressed addresses`,
      `${formatCount(events)} events of campaigns`
    ]
    const verdict =
      drifts.length === 0 ? 'every counter agrees' : `counters that differ: ${formatCount(drifts.length)}`
    return {
      json: {
        ok: drifts.length === 0 && damage.length === 0,
        subscribers,
        suppressed_addresses: suppressedAddresses,
        events,
        damage,
        imports_without_logs: imports.withoutLogs,
        differences: drifts.map(({ counter, kept, found }) => ({ counter, recorded: kept, found }))
      },
      text: [
        `Counted ${counted.join(', ')}: ${verdict}.`,
        ...(imports.withoutLogs > 0
          ? [
              `Imports whose logs are not in this folder, since backups do not contain them: ${formatCount(imports.withoutLogs)}.`
            ]
          : []),
        ...drifts.map(sentenceOf),
        ...damage
      ].join('\n'),
      status: drifts.length > 0 || damage.length > 0 ? 1 : 0
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new Error(
      [
        `The data in ${resolve(values['data-dir'])} is damaged, and cannot be counted.`,
        ...damageOf(requireData(values['data-dir'])),
        'Restore a backup (listwright backup list), or recover what can still be read: listwright backup recover'
      ].join(' ')
    )
  } finally {
    await data.close()
  }
})

function damageOf(dataDirectory: string): string[] {
  const databasePath = databasePathIn(dataDirectory)
  return [...changesByOthers(dataDirectory, databasePath), ...examineStructure(databasePath)]
}

function sentenceOf({ counter, kept, found }: Drift): string {
  return `${counter}: ${formatCount(kept)} recorded, ${formatCount(found)} found`
}

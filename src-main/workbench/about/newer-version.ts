import { refusal } from '../../base/refusal.ts'
import { ExplainedError } from '../../base/errors.ts'
import type { InstalledPackage } from '../../base/installed-package.ts'
import type { Update } from './about.ts'

/** Timeout of the release server, in milliseconds. */
const patience = 10_000

/**
 * Checks for a newer version in the file that electron-builder publishes (latest-linux.yml). A prerelease is
 * offered the next prerelease too.
 * @returns null if there is none
 * @throws Error with a sentence if the server does not answer
 */
export async function newerVersion({ version, releases }: InstalledPackage): Promise<Update | null> {
  if (releases === undefined) throw new ExplainedError(refusal('no_update_address'))
  const { request } = await import('undici')
  const { host } = new URL(releases)
  const channel = version.includes('-') ? 'beta' : 'latest'
  const answer = await request(new URL(`${channel}-linux.yml`, releases), {
    headersTimeout: patience,
    bodyTimeout: patience
  }).catch(() => {
    throw new ExplainedError(refusal('host_unreachable', { host }))
  })
  const text = await answer.body.text()
  const newest = /^version: *['"]?([\w.+-]+)/m.exec(text)?.[1]
  if (answer.statusCode !== 200 || newest === undefined)
    throw new ExplainedError(refusal('host_without_version', { host }))
  return isNewer(newest, version) ? { version: newest, notes: '' } : null
}

/** True if a version is higher than another. A version with a dash comes before the same without. */
export function isNewer(version: string, than: string): boolean {
  const [left, right] = [partsOf(version), partsOf(than)]
  for (const [index, part] of left.numbers.entries()) {
    const difference = part - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  if (left.before === right.before) return false
  if (left.before === '' || right.before === '') return left.before === ''
  return left.before.localeCompare(right.before, 'en', { numeric: true }) > 0
}

function partsOf(version: string): { numbers: number[]; before: string } {
  const [numbers = '', ...before] = (version.split('+')[0] ?? '').split('-')
  return { numbers: numbers.split('.').map(Number), before: before.join('-') }
}

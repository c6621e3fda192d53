import { readFileSync } from 'node:fs'

/**
 * Returns what CHANGELOG.md says of a version, for the notes of its release.
 * @param version as its heading has it, such as "0.2.0"; one with a suffix, such as "0.2.0-beta.1", may be under "Unreleased"
 * @throws Error if the changelog has no such section, or the section is empty
 */
export function releaseNotes(changelog: string, version: string): string {
  const names = version.includes('-') ? [version, 'Unreleased'] : [version]
  const sections = changelog.split(/^## /m).slice(1)
  for (const name of names) {
    const section = sections.find((text) => text.split(/[\s]/, 1)[0] === name)
    const notes = section?.slice(section.indexOf('\n')).trim()
    if (notes) return `${notes}\n`
  }
  throw new Error(`CHANGELOG.md has no notes of ${names.join(' or ')}`)
}

if (import.meta.main) {
  const version = (process.argv[2] ?? '').replace(/^v/, '')
  process.stdout.write(releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version))
}

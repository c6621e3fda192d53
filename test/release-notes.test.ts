import { expect, it } from 'vitest'
import { releaseNotes } from '../tools/release-notes.ts'

const changelog = `# Changelog

## Unreleased

- New

## 0.2.0 (2027-01-01)

- Second
- Other

## 0.1.0

- First
`

it('the notes of a release are its section of the changelog', () => {
  expect(releaseNotes(changelog, '0.2.0')).toBe('- Second\n- Other\n')
  expect(releaseNotes(changelog, '0.1.0')).toBe('- First\n')
})

it('a version before a release has the notes of what is not released', () => {
  expect(releaseNotes(changelog, '0.3.0-beta.1')).toBe('- New\n')
})

it('a version without notes is refused', () => {
  expect(() => releaseNotes(changelog, '0.3.0')).toThrow('CHANGELOG.md has no notes of 0.3.0')
})

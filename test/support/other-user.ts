import { statSync } from 'node:fs'

/** The id of the user `nobody`. */
export const nobody = 65_534

/** True if tests may start this checkout as another user. */
export const othersMayRun =
  process.getuid?.() === 0 &&
  process
    .cwd()
    .split('/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/') || '/')
    .every((path) => (statSync(path).mode & 0o005) === 0o005)

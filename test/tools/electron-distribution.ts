import { createPackage } from '@electron/asar'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The bytes by which Electron's fuses are found in its binary, and the default fuses: wire version 1, eight
 * of them, all on.
 */
const fuseWire = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 8]),
  Buffer.from('11111111')
])

/** A folder that stands in for a distribution of Electron, which cannot be fetched everywhere: its files, and a program with fuses. */
export async function makeElectronStandIn(root: string): Promise<string> {
  const directory = join(root, 'distribution')
  const sources = join(root, 'default-app')
  mkdirSync(sources)
  writeFileSync(join(sources, 'package.json'), '{}')
  for (const folder of ['resources', 'locales']) mkdirSync(join(directory, folder), { recursive: true })
  await createPackage(sources, join(directory, 'resources/default_app.asar'))
  writeFileSync(join(directory, 'electron'), Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), fuseWire]), {
    mode: 0o755
  })
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'version', 'chrome-sandbox', 'locales/en-US.pak'])
    writeFileSync(join(directory, name), name)
  return directory
}

// Loaded into a process before anything else, by --import: the nth call that reads or changes a file of a folder ends the process, or
// fails as it does on a disk that fails.

import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const { FAILING_CALL: nth, FAILING_IN: folder, FAILING_AS: as } = process.env

const reached = `${folder}.reached`

let calls = 0

function count(call: string, path: unknown): void {
  if (folder === undefined || typeof path !== 'string' || !path.startsWith(folder)) return
  if (++calls !== Number(nth)) return
  writeFile(reached, `${call} ${path}`)
  if (as === 'killed') process.kill(process.pid, 'SIGKILL')
  throw Object.assign(new Error(`EIO: i/o error, ${call} '${path}'`), { code: 'EIO' })
}

const writeFile = fs.writeFileSync

if (isMainThread && nth !== undefined) {
  for (const call of ['renameSync', 'rmSync', 'writeFileSync'] as const) hook(fs, call)
  for (const call of ['copyFile', 'chmod', 'mkdir', 'open', 'rm', 'writeFile'] as const) hook(promises, call)
  syncBuiltinESMExports()
}

function hook(module: object, call: string): void {
  const original = Reflect.get(module, call) as (...args: unknown[]) => unknown
  Reflect.set(module, call, (...args: unknown[]) => {
    count(call, args[0])
    return original(...args)
  })
}

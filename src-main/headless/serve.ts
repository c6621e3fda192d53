import { giveUnusedMemoryBack } from '../base/memory.ts'
import { type Application, createApp } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { checkCounters } from './check.ts'
import { manageKeys } from './keys.ts'
import { readArguments, type ServeArguments, usage } from './arguments.ts'
import { endOnSignal } from './signals.ts'
import { manageSync, syncUsage } from './sync.ts'

// `npm run serve`: the application without a window.

await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args[0] === 'sync' && args.includes('--help')) return void process.stdout.write(syncUsage)
  if (args.includes('--help')) return void process.stdout.write(usage)
  if (args[0] === 'key') return manageKeys(args.slice(1))
  if (args[0] === 'check') return checkCounters(args.slice(1))
  if (args[0] === 'sync') return manageSync(args.slice(1))
  const options = readArguments(args)
  const app = await createApp(options)
  endOnSignal(app)
  giveUnusedMemoryBack()
  try {
    await announce(app, options)
  } catch (error) {
    // Nobody could know that it runs.
    await app.close()
    throw error
  }
}

async function announce(app: Application, { json }: ServeArguments): Promise<void> {
  if (!json) {
    process.stdout.write(
      `Listwright is ready at ${app.baseUrl}\n` +
        `Open the interface (this link signs in once): ${app.interfaceUrl()}\n` +
        `Data: ${app.dataDirectory}\n`
    )
    return
  }
  // A key for the program that started it, which ends with it.
  const apiKey = await app.createPassingApiKey('npm run serve -- --json')
  const credentials = Buffer.from(`${app.organizationId}:${apiKey}`).toString('base64')
  const ready = {
    base_url: app.baseUrl,
    organization_id: app.organizationId,
    api_key: apiKey,
    authorization: `Basic ${credentials}`,
    data_dir: app.dataDirectory
  }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
}

import { releaseUnusedMemory } from '../base/memory.ts'
import { basicAuthorization } from '../base/basic-authorization.ts'
import { type Application, createApp } from '../app.ts'
import { type Command, requireDirectory } from './command.ts'
import { readArguments, type ServeArguments, usage } from './arguments.ts'
import { endOnSignal } from './signals.ts'

// `listwright serve`: the application without a window.

export const serveCommand: Command = {
  usage,
  run: async (args) => {
    const options = readArguments(args)
    requireDirectory(options.dataDirectory)
    const starting = createApp(options)
    endOnSignal(starting)
    const app = await starting
    releaseUnusedMemory()
    try {
      await announce(app, options)
    } catch (error) {
      // If the output fails, no one can learn the address.
      await app.close()
      throw error
    }
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
  // An API key for the program that started the application; it is removed when the application ends.
  const apiKey = await app.createPassingApiKey('listwright serve --json')
  const ready = {
    base_url: app.baseUrl,
    organization_id: app.organizationId,
    api_key: apiKey,
    authorization: basicAuthorization(app.organizationId, apiKey),
    data_dir: app.dataDirectory
  }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
}

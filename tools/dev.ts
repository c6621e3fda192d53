import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import {
  createServer,
  type InlineConfig,
  mergeConfig,
  type ProxyOptions,
  type UserConfig,
  type ViteDevServer
} from 'vite'
import config from '../electron.vite.config.ts'
import { servedPrefixes } from '../src-main/http/served-prefixes.ts'

// `npm run dev`: the server from its sources, which starts again when they change, and the window through Vite, which
// reloads what changes of it.

const usage = `Usage: npm run dev -- [--open] [--port N] [--data-dir DIR]
  --open          opens the interface in the browser
  --port N        the port of the window on 127.0.0.1 (default: 5173; 0 picks a free one)
  --data-dir DIR  where the data is kept (default: .dev/, which git ignores)
`
const root = join(import.meta.dirname, '..')
const sources = join(root, 'src-main')
/** Several files that are saved at once start the server once, in milliseconds. */
const gatheringTime = 100

const { values } = parseArgs({
  options: {
    open: { type: 'boolean', default: false },
    port: { type: 'string', default: '5173' },
    'data-dir': { type: 'string', default: join(root, '.dev') },
    help: { type: 'boolean', default: false }
  }
})
if (values.help) process.stdout.write(usage)
else await main()

async function main(): Promise<void> {
  let server = await startServer('0')
  let timer: NodeJS.Timeout | undefined
  let starting = Promise.resolve()
  let isEnding = false
  const endAll = async (vite?: ViteDevServer): Promise<void> => {
    isEnding = true
    clearTimeout(timer)
    await starting
    await Promise.all([vite?.close(), end(server.process)])
  }
  try {
    const vite = await serveWindow(server.baseUrl)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endAll(vite))
    const announceSignIn = (): string => {
      const address = new URL(server.signInPath, vite.resolvedUrls?.local[0]).href
      process.stdout.write(`Open the interface (this link signs in once): ${address}\n`)
      return address
    }
    const address = announceSignIn()
    if (values.open) openInBrowser(address)

    const restart = async (): Promise<void> => {
      if (isEnding) return
      await end(server.process)
      try {
        server = await startServer(new URL(server.baseUrl).port)
        announceSignIn()
      } catch (error) {
        // The error is on standard error already. The next change starts the server again.
        process.stdout.write(`${String(error)}\n`)
      }
    }
    vite.watcher.add(sources)
    vite.watcher.on('all', (_event, path) => {
      if (!resolve(path).startsWith(sources)) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        starting = starting.then(restart)
      }, gatheringTime)
    })
  } catch (error) {
    await endAll()
    throw error
  }
}

async function serveWindow(serverUrl: string): Promise<ViteDevServer> {
  const vite = await createServer(
    mergeConfig((config as { renderer: UserConfig }).renderer, {
      configFile: false,
      root: join(root, 'src-renderer'),
      server: {
        host: '127.0.0.1',
        port: Number(values.port),
        fs: { allow: [root] },
        proxy: { [`^/(${servedPrefixes.join('|')})/`]: proxyTo(serverUrl) }
      }
    } satisfies InlineConfig)
  )
  return vite.listen()
}

/** The window's calls reach the server as if the window came from it; those of other pages are refused as ever. */
function proxyTo(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    configure: (proxy) => {
      proxy.on('proxyReq', (toServer, { headers }) => {
        if (headers.origin === `http://${headers.host}`) toServer.setHeader('origin', target)
      })
    }
  }
}

interface RunningServer {
  process: ChildProcess
  baseUrl: string
  /** Signs a window in, once. */
  signInPath: string
}

/** @throws Error when it ended before it was ready */
async function startServer(port: string): Promise<RunningServer> {
  const server = spawn(
    process.execPath,
    [join(sources, 'headless/listwright.ts'), 'serve', '--data-dir', values['data-dir'], '--port', port],
    { stdio: ['ignore', 'pipe', 'inherit'] }
  )
  for await (const line of createInterface(server.stdout)) {
    const link = /https?:\S+\/\?sign_in=\S+/.exec(line)?.[0]
    if (link === undefined) continue
    const { origin, pathname, search } = new URL(link)
    return { process: server, baseUrl: origin, signInPath: pathname + search }
  }
  throw new Error('The server did not start.')
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

function openInBrowser(address: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open']
  spawn(command, [...args, address], { stdio: 'ignore' }).on('error', (error) =>
    process.stderr.write(`The browser did not open: ${error.message}\n`)
  )
}

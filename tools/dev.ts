import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createServer, type InlineConfig, mergeConfig, type ProxyOptions, type UserConfig } from 'vite'
import config from '../electron.vite.config.ts'

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
  const { port } = new URL(server.baseUrl)
  const vite = await createServer(
    mergeConfig((config as { renderer: UserConfig }).renderer, {
      configFile: false,
      root: join(root, 'src-renderer'),
      server: {
        host: '127.0.0.1',
        port: Number(values.port),
        fs: { allow: [root] },
        proxy: { '^/(ga|app|docs|o|c|w|u)/|^/\\?sign_in=': proxyTo(server.baseUrl) }
      }
    } satisfies InlineConfig)
  )
  await vite.listen()
  const address = (path: string): string => new URL(path, vite.resolvedUrls?.local[0]).href
  const tellSignIn = (): void => {
    process.stdout.write(`Open the interface (this link signs in once): ${address(server.signInPath)}\n`)
  }
  tellSignIn()
  if (values.open) openInBrowser(address(server.signInPath))

  let timer: NodeJS.Timeout | undefined
  let restarting = Promise.resolve()
  const restart = async (): Promise<void> => {
    await end(server.process)
    try {
      server = await startServer(port)
      tellSignIn()
    } catch (error) {
      // What is wrong stands above, on standard error; the next change starts it again.
      process.stdout.write(`${String(error)}\n`)
    }
  }
  vite.watcher.add(sources)
  vite.watcher.on('all', (_event, path) => {
    if (!resolve(path).startsWith(sources)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      restarting = restarting.then(restart)
    }, gatheringTime)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void restarting.then(() => Promise.all([vite.close(), end(server.process)])))
  }
}

/** The window's calls reach the server as if the window came from it: other origins are refused. */
function proxyTo(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: true,
    configure: (proxy) => {
      proxy.on('proxyReq', (request) => {
        if (request.hasHeader('origin')) request.setHeader('origin', target)
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
    [join(sources, 'headless/serve.ts'), '--data-dir', values['data-dir'], '--port', port],
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

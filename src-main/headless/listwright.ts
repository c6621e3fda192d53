import '../base/memory.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from '../base/package-directory.ts'
import { type Command, tellFailure } from './command.ts'

// `listwright COMMAND …`: all that can be done from the command line.

interface Entry {
  summary: string
  load: () => Promise<Command>
}

const commands: Record<string, Entry> = {
  start: {
    summary: 'opens the application',
    load: async () => (await import('./start.ts')).startCommand
  },
  serve: {
    summary: 'runs it without a window, for programs and browsers on this computer',
    load: async () => (await import('./serve.ts')).serveCommand
  },
  key: {
    summary: 'makes, lists and revokes API keys',
    load: async () => (await import('./keys.ts')).keyCommand
  },
  check: {
    summary: 'counts again what is kept as counters',
    load: async () => (await import('./check.ts')).checkCommand
  },
  backup: {
    summary: 'copies the data, checks copies and puts them back',
    load: async () => (await import('./backup.ts')).backupCommand
  },
  sync: {
    summary: 'mirrors the lists to a server that speaks the same API',
    load: async () => (await import('./sync.ts')).syncCommand
  }
}

const usage = `Usage: listwright COMMAND …

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`)
  .join('\n')}

Without a command it is "start". Each command tells more: listwright COMMAND --help
`

await main(process.argv.slice(2))

async function main([first = 'start', ...others]: string[]): Promise<void> {
  if (first === '--help' || first === 'help') return void process.stdout.write(usage)
  if (first === '--version') return void process.stdout.write(`${version()}\n`)
  // `npm run serve -- key …` is `listwright key …`.
  const isOther = first === 'serve' && Object.hasOwn(commands, others[0] ?? '')
  const [name = '', ...args] = isOther ? others : [first, ...others]
  try {
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!entry) {
      const known = Object.keys(commands).join(', ')
      throw new Error(
        `listwright is followed by one of ${known}, and "${name}" is none; see listwright --help`
      )
    }
    const command = await entry.load()
    if (args.includes('--help')) return void process.stdout.write(command.usage)
    await command.run(args)
  } catch (error) {
    tellFailure(error, args)
  }
}

function version(): string {
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

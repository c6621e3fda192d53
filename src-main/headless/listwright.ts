import '../base/memory.ts'
import { installedPackage } from '../base/installed-package.ts'
import { type Command, reportFailure } from './command.ts'
import { languageOfEnvironment, takeLanguage } from './language.ts'

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
    summary: 'creates, lists and revokes API keys',
    load: async () => (await import('./keys.ts')).keyCommand
  },
  check: {
    summary: 'checks the database and its counters',
    load: async () => (await import('./check.ts')).checkCommand
  },
  backup: {
    summary: 'creates, verifies and restores backups',
    load: async () => (await import('./backup.ts')).backupCommand
  },
  sync: {
    summary: 'mirrors the lists to a server with the same API',
    load: async () => (await import('./sync.ts')).syncCommand
  },
  import: {
    summary: 'imports a contact file into a list',
    load: async () => (await import('./import.ts')).importCommand
  },
  events: {
    summary: 'prints what happens to subscribers as it happens, and sends it on',
    load: async () => (await import('./events.ts')).eventsCommand
  },
  gate: {
    summary: 'takes unsubscribes and clicks on a server, while the application is off',
    load: async () => (await import('./gate.ts')).gateCommand
  }
}

const usage = `Usage: listwright COMMAND …

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`)
  .join('\n')}

Without a command, "start" is used. For the options of a command: listwright COMMAND --help
`

// The reader of the output may close the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`Cannot print any more output: ${error.message}\n`)
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})
await main(process.argv.slice(2))

async function main(all: string[]): Promise<void> {
  let language = languageOfEnvironment()
  let given = all
  try {
    ;({ language, rest: given } = takeLanguage(all))
  } catch (error) {
    return await reportFailure(error, all, language)
  }
  if (given[0] === '--help' || given[0] === 'help') return void process.stdout.write(usage)
  if (given[0] === '--version') return void process.stdout.write(`${installedPackage().version}\n`)
  const [first = 'start', ...others] = given[0]?.startsWith('-') ? ['start', ...given] : given
  // `npm run serve -- key …` is `listwright key …`.
  const isOther = first === 'serve' && Object.hasOwn(commands, others[0] ?? '')
  const [name = '', ...args] = isOther ? others : [first, ...others]
  try {
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!entry) {
      const known = Object.keys(commands).join(', ')
      throw new Error(`listwright has no command "${name}". Commands: ${known}; see listwright --help`)
    }
    const command = await entry.load()
    if (args.includes('--help')) return void process.stdout.write(command.usage)
    await command.run(args)
  } catch (error) {
    await reportFailure(error, args, language)
  }
}

import { argv } from 'node:process'

// `listwright COMMAND …`, also `npm run -s listwright -- COMMAND …`: all that can be done from the command line.

const [command, ...args] = argv.slice(2)
// Both read the arguments that the process was started with.
argv.splice(2, argv.length, ...(command === 'start' || command === 'serve' ? args : argv.slice(2)))
if (command === 'start') await import('./start.ts')
else await import('./serve.ts')

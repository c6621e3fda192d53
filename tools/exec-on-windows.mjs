import { writeFileSync } from 'node:fs'

// The scripts `start` and `serve` begin with `exec`, so that a signal to npm reaches the application and not a shell
// that dies of it and leaves the application behind. cmd.exe has no exec; there this command of that name stands in.
if (process.platform === 'win32') writeFileSync('node_modules/.bin/exec.cmd', '@%*\r\n')

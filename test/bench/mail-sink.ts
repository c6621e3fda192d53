import { createServer, type Socket } from 'node:net'

// A mail server that accepts everything as fast as it can and keeps nothing, as a process of its own. It prints its port, and at the end of its input
// how many messages it took. Recipients at slow.example are refused most of the time.

const endOfData = '\r\n.\r\n'
let accepted = 0
let slowAsked = 0

function converse(socket: Socket): void {
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.write('220 sink\r\n')
  let input = ''
  let isData = false
  let isRefused = false
  const answer = (line: string): string => {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        return '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n'
      case 'RCPT':
        isRefused = line.includes('@slow.example') && ++slowAsked % 10 !== 0
        return isRefused ? '450 4.7.0 Slow down\r\n' : '250 ok\r\n'
      case 'DATA':
        if (isRefused) return '503 5.5.1 No recipients\r\n'
        isData = true
        return '354 go\r\n'
      case 'QUIT':
        socket.end('221 bye\r\n')
        return ''
      default:
        return '250 ok\r\n'
    }
  }
  socket.on('data', (chunk) => {
    input += chunk.toString('latin1')
    let output = ''
    for (;;) {
      const end = input.indexOf(isData ? endOfData : '\r\n')
      if (end < 0) break
      const line = input.slice(0, end)
      input = input.slice(end + (isData ? endOfData.length : 2))
      if (isData) {
        isData = false
        output += `250 2.0.0 Ok: queued as ${(++accepted).toString(16).padStart(10, '0')}\r\n`
      } else output += answer(line)
    }
    if (output && socket.writable) socket.write(output)
  })
}

const server = createServer(converse).listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? (address?.port ?? 0) : 0}\n`)
})
process.stdin.resume().on('end', () => process.exit(0))

import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A message that the server has: whether the client heard of it or not. */
export interface ReceivedMessage {
  from: string
  to: string
  content: string
}

/** What the server does with a message. */
export type Treatment =
  | { accept: true }
  /** Refuses with a reply, at RCPT TO or after the data. */
  | { refuse: number; words: string; at: 'rcpt' | 'data' }
  /** Closes the connection: before the data, in its midst, or after the final dot, having kept the message or not. */
  | { cut: 'before' | 'inside' | 'after'; keeps: boolean }
  /** Accepts after a pause in milliseconds. */
  | { delay: number }

export interface MailServer {
  port: number
  received: ReceivedMessage[]
  /** How many messages the server was asked to take, by recipient. */
  asked: Map<string, number>
  connections: number
  close: () => Promise<void>
}

interface Options {
  port?: number
  /** Continues the log of an earlier server. */
  log?: Pick<MailServer, 'received' | 'asked'>
  treat?: (to: string, attempt: number) => Treatment
  /** Refuses all senders. */
  refuseSender?: { refuse: number; words: string }
  user?: { name: string; password: string; method?: 'XOAUTH2' }
}

/** Starts a mail server on loopback that treats each message as told; by default it accepts all. */
export async function startMailServer({
  port = 0,
  log = { received: [], asked: new Map() },
  treat,
  user,
  refuseSender
}: Options = {}): Promise<MailServer> {
  const { received, asked } = log
  const treatments = new WeakMap<SMTPServerSession, Treatment>()
  const state = { connections: 0 }
  const server: SMTPServer = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: user ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect: (_session, done) => {
      state.connections++
      done()
    },
    authMethods: user?.method ? ['PLAIN', 'LOGIN', user.method] : ['PLAIN', 'LOGIN'],
    onAuth: ({ method, username, password, accessToken }, _session, done) => {
      const secret = method === 'XOAUTH2' ? accessToken : password
      const isRight =
        username === user?.name && secret === user?.password && method === (user?.method ?? method)
      if (isRight) done(null, { user: username })
      else done(new Error('Invalid username or password'))
    },
    onMailFrom: (_address, _session, done) => done(refuseSender ? refusal(refuseSender) : null),
    onRcptTo: ({ address }, session, done) => {
      const attempt = (asked.get(address) ?? 0) + 1
      asked.set(address, attempt)
      const treatment = treat?.(address, attempt) ?? { accept: true }
      treatments.set(session, treatment)
      if ('cut' in treatment && treatment.cut === 'before') return cut(server, session)
      done('refuse' in treatment && treatment.at === 'rcpt' ? refusal(treatment) : null)
    },
    onData: (stream, session, done) => {
      void take(stream, session).then(done, done)
    }
  })

  async function take(stream: Readable, session: SMTPServerSession): Promise<Error | null> {
    const treatment = treatments.get(session) ?? { accept: true }
    if ('cut' in treatment && treatment.cut === 'inside') {
      await new Promise((resolve) => stream.once('data', resolve))
      cut(server, session)
      return null
    }
    const content = (await buffer(stream)).toString('latin1')
    const { mailFrom, rcptTo } = session.envelope
    const message = { from: mailFrom ? mailFrom.address : '', to: rcptTo[0]?.address ?? '', content }
    if ('delay' in treatment) await new Promise((resolve) => setTimeout(resolve, treatment.delay))
    if ('refuse' in treatment) return refusal(treatment)
    if (!('cut' in treatment) || treatment.keeps) received.push(message)
    if ('cut' in treatment) cut(server, session)
    return null
  }

  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => {
      if (!server.server.listening) reject(error)
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const connection of server.connections) connection._socket.destroy()
      server.close(() => resolve())
    })
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    asked,
    get connections() {
      return state.connections
    },
    close
  }
}

/** The same, closed after the test. */
export async function mailServer(options: Options = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return server
}

function cut(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of server.connections) {
    if (connection.session === session || connection.id === session.id) connection._socket.destroy()
  }
}

function refusal({ refuse, words }: { refuse: number; words: string }): Error {
  return Object.assign(new Error(words), { responseCode: refuse })
}

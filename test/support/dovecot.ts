import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort, idOf, reachable } from './servers.ts'

/** True if Dovecot's IMAP server can be started here: as root, on Linux. */
export const hasDovecot =
  process.getuid?.() === 0 &&
  ['/usr/sbin/dovecot', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/pop3'].every((path) => existsSync(path))

export interface Dovecot {
  port: number
  pop3Port: number
  /** The Maildir of a user. */
  maildir: (user: string) => string
  password: string
  /** Puts messages into the inbox of a user, as a mail system does. */
  deliver: (user: string, messages: readonly string[]) => Promise<void>
  /** The messages in the inbox of a user: those that no client has seen, and the others. */
  inbox: (user: string) => Promise<{ unseen: number; seen: number }>
}

/** A real IMAP server on loopback, which takes any user. It ends with the test. */
export async function dovecot(): Promise<Dovecot> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-dovecot-'))
  await chmod(directory, 0o755)
  const [port, pop3Port] = [await freePort(), await freePort()]
  const password = 'of-the-mailbox'
  const owner = [idOf('mail', '-u'), idOf('mail', '-g')] as const
  await mkdir(join(directory, 'mail'))
  await chown(join(directory, 'mail'), ...owner)
  await writeFile(join(directory, 'dovecot.conf'), settings(directory, { port, pop3Port, password }))
  const server = spawn('/usr/sbin/dovecot', ['-F', '-c', join(directory, 'dovecot.conf')], {
    stdio: 'ignore'
  })
  onTestFinished(async () => {
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'exit')
    await rm(directory, { recursive: true, force: true })
  })
  await reachable(port)
  const folderOf = (user: string, name: string): string => join(directory, 'mail', user, name)
  const namesIn = async (path: string): Promise<string[]> => (existsSync(path) ? readdir(path) : [])
  let delivered = 0
  return {
    port,
    pop3Port,
    maildir: (user) => join(directory, 'mail', user),
    password,
    deliver: async (user, messages) => {
      for (const name of ['', 'cur', 'new', 'tmp']) {
        await mkdir(folderOf(user, name), { recursive: true })
        await chown(folderOf(user, name), ...owner)
      }
      for (const message of messages) {
        const path = join(folderOf(user, 'new'), `${1_700_000_000 + delivered}.M${delivered++}.host`)
        await writeFile(path, message)
        await chown(path, ...owner)
      }
    },
    inbox: async (user) => {
      const all = [...(await namesIn(folderOf(user, 'new'))), ...(await namesIn(folderOf(user, 'cur')))]
      const seen = all.filter((name) => /:2,[A-Z]*S/.test(name)).length
      return { unseen: all.length - seen, seen }
    }
  }
}

function settings(
  directory: string,
  { port, pop3Port, password }: { port: number; pop3Port: number; password: string }
): string {
  return `protocols = imap pop3
listen = 127.0.0.1
base_dir = ${directory}/run
log_path = ${directory}/dovecot.log
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${directory}/mail/%n
auth_mechanisms = plain login
mail_max_userip_connections = 100
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${directory}/mail/%n
}
service pop3-login {
  inet_listener pop3 {
    port = ${pop3Port}
  }
  inet_listener pop3s {
    port = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`
}

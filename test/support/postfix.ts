import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { freePort, idOf, reachable } from './servers.ts'

/** True if Postfix, postgrey and Dovecot can be started here: as root, on Linux. */
export const hasPostfix =
  process.getuid?.() === 0 &&
  ['/usr/sbin/postfix', '/usr/sbin/postgrey', '/usr/sbin/dovecot', '/usr/lib/dovecot/lmtp'].every((path) =>
    existsSync(path)
  )

export interface Postfix {
  port: number
  /** The messages that arrived, by mailbox. */
  mailboxes: () => Promise<Map<string, string[]>>
}

/** What a real receiver runs: Postfix on loopback, which has postgrey delay unknown senders, and delivers to Dovecot. It ends with the test. */
export async function postfix({
  domain,
  users,
  greylistedFor
}: {
  domain: string
  /** A regular expression for the local parts that exist. */
  users: string
  /** In seconds. */
  greylistedFor: number
}): Promise<Postfix> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-postfix-'))
  await chmod(directory, 0o755)
  const [port, greyPort] = [await freePort(), await freePort()]
  const started: ChildProcess[] = []
  onTestFinished(async () => {
    execFileSync('/usr/sbin/postfix', ['-c', join(directory, 'postfix'), 'stop'], { stdio: 'ignore' })
    for (const child of started) child.kill('SIGTERM')
    await Promise.all(started.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit')))
    await rm(directory, { recursive: true, force: true })
  })
  const start = (command: string, args: string[]): void => {
    started.push(spawn(command, args, { stdio: 'ignore' }))
  }

  await mkdir(join(directory, 'mail'))
  await chown(join(directory, 'mail'), idOf('mail', '-u'), idOf('mail', '-g'))
  await writeFile(join(directory, 'dovecot.conf'), dovecotSettings(directory))
  start('/usr/sbin/dovecot', ['-F', '-c', join(directory, 'dovecot.conf')])

  await mkdir(join(directory, 'grey'))
  await chown(join(directory, 'grey'), idOf('postgrey', '-u'), idOf('postgrey', '-g'))
  start('/usr/sbin/postgrey', [
    `--inet=127.0.0.1:${greyPort}`,
    `--delay=${greylistedFor}`,
    `--dbdir=${join(directory, 'grey')}`,
    `--pidfile=${join(directory, 'grey', 'pid')}`,
    // Otherwise it trusts a client after five messages.
    '--auto-whitelist-clients=1000000'
  ])

  await writePostfix(directory, { port, greyPort, domain, users })
  await Promise.all([reachable(greyPort), until(() => existsSync(join(directory, 'lmtp')))])
  execFileSync('/usr/sbin/postfix', ['-c', join(directory, 'postfix'), 'start'], { stdio: 'ignore' })
  await reachable(port)
  return { port, mailboxes: () => readMailboxes(join(directory, 'mail')) }
}

function dovecotSettings(directory: string): string {
  return `protocols = lmtp
base_dir = ${directory}/run
log_path = ${directory}/dovecot.log
ssl = no
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${directory}/mail/%n
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${directory}/mail/%n
}
service lmtp {
  unix_listener ${directory}/lmtp {
    mode = 0666
  }
}
`
}

async function writePostfix(
  directory: string,
  { port, greyPort, domain, users }: { port: number; greyPort: number; domain: string; users: string }
): Promise<void> {
  const settings = join(directory, 'postfix')
  for (const name of ['postfix', 'queue', 'data']) await mkdir(join(directory, name))
  await chown(join(directory, 'data'), idOf('postfix', '-u'), idOf('postfix', '-g'))
  await writeFile(join(settings, 'users'), `/^${users}@${domain.replaceAll('.', '\\.')}$/ ok\n`)
  await writeFile(
    join(settings, 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${directory}/mail.log
maillog_file_prefixes = ${tmpdir()}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.${domain}
mydestination =
alias_maps =
virtual_mailbox_domains = ${domain}
virtual_mailbox_maps = regexp:${settings}/users
virtual_transport = lmtp:unix:${directory}/lmtp
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = reject_unlisted_recipient, check_policy_service inet:127.0.0.1:${greyPort}
`
  )
  await writeFile(join(settings, 'master.cf'), services(port))
}

/** As in Postfix's own master.cf. */
function services(port: number): string {
  return `127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`
}

async function readMailboxes(mail: string): Promise<Map<string, string[]>> {
  const mailboxes = new Map<string, string[]>()
  for (const user of await readdir(mail)) {
    const arrived = join(mail, user, 'new')
    const names = existsSync(arrived) ? await readdir(arrived) : []
    mailboxes.set(user, await Promise.all(names.map((name) => readFile(join(arrived, name), 'utf8'))))
  }
  return mailboxes
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await condition()); await pause(50)) {
    if (performance.now() - began > 20_000) throw new Error('a mail server did not start')
  }
}

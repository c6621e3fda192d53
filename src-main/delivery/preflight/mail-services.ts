// What is known of services that people send with.

/** What a service wants in the SPF record of those who send through it, by the end of its servers' names. */
const spfIncludes: readonly [string, string][] = [
  ['gmail.com', '_spf.google.com'],
  ['google.com', '_spf.google.com'],
  ['office365.com', 'spf.protection.outlook.com'],
  ['outlook.com', 'spf.protection.outlook.com'],
  ['fastmail.com', 'spf.messagingengine.com'],
  ['zoho.com', 'zohomail.com'],
  ['zoho.eu', 'zohomail.eu']
]

/** Returns the SPF include that a server's service asks for; null where none is known or needed. */
export function spfIncludeOf(host: string): string | null {
  return spfIncludes.find(([end]) => host === end || host.endsWith(`.${end}`))?.[1] ?? null
}

/** Free mailboxes, and the ends of the names of servers that may send for them. */
const freeMail: Readonly<Record<string, readonly string[]>> = {
  'gmail.com': ['gmail.com', 'google.com'],
  'googlemail.com': ['gmail.com', 'google.com'],
  'outlook.com': ['office365.com', 'outlook.com'],
  'hotmail.com': ['office365.com', 'outlook.com'],
  'hotmail.de': ['office365.com', 'outlook.com'],
  'hotmail.fr': ['office365.com', 'outlook.com'],
  'hotmail.co.uk': ['office365.com', 'outlook.com'],
  'live.com': ['office365.com', 'outlook.com'],
  'msn.com': ['office365.com', 'outlook.com'],
  'outlook.de': ['office365.com', 'outlook.com'],
  'yahoo.com': ['yahoo.com'],
  'yahoo.de': ['yahoo.com'],
  'yahoo.fr': ['yahoo.com'],
  'yahoo.co.uk': ['yahoo.com'],
  'ymail.com': ['yahoo.com'],
  'aol.com': ['aol.com'],
  'icloud.com': ['me.com'],
  'me.com': ['me.com'],
  'mac.com': ['me.com'],
  'gmx.de': ['gmx.net', 'gmx.com'],
  'gmx.net': ['gmx.net', 'gmx.com'],
  'gmx.at': ['gmx.net', 'gmx.com'],
  'gmx.ch': ['gmx.net', 'gmx.com'],
  'gmx.com': ['gmx.net', 'gmx.com'],
  'web.de': ['web.de'],
  't-online.de': ['t-online.de'],
  'freenet.de': ['freenet.de'],
  'mail.ru': ['mail.ru'],
  'yandex.ru': ['yandex.ru', 'yandex.com'],
  'yandex.com': ['yandex.ru', 'yandex.com'],
  'proton.me': ['protonmail.ch'],
  'protonmail.com': ['protonmail.ch'],
  'qq.com': ['qq.com'],
  '163.com': ['163.com'],
  'orange.fr': ['orange.fr'],
  'free.fr': ['free.fr'],
  'laposte.net': ['laposte.net'],
  'libero.it': ['libero.it'],
  'comcast.net': ['comcast.net']
}

/** True for a domain in which anyone gets a free mailbox. */
export function isFreeMail(domain: string): boolean {
  return Object.hasOwn(freeMail, domain)
}

/** True if a server belongs to the provider of a free mailbox. */
export function isServerOf(domain: string, host: string): boolean {
  return (freeMail[domain] ?? []).some((end) => host === end || host.endsWith(`.${end}`))
}

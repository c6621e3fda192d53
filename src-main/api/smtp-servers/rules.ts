import { isIP } from 'node:net'
import type { Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { isDomain } from '../subscribers/rules.ts'
import type { SmtpSecurity, SmtpServerInput } from './schema.ts'

/** The settings of a server as they are checked and stored. */
export type SmtpSettings = Omit<SmtpServerInput, 'secret'>

/** True for the names and addresses that never leave this computer. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Returns the name or address of a mail server as it is stored, and adds a fault if it cannot be one, or is not protected. */
export function checkedHost(given: string, security: SmtpSecurity, faults: Faults): string {
  const host = given.trim().toLowerCase().replace(/\.$/, '')
  if (isIP(host) === 0 && !isDomain(host) && host !== 'localhost') {
    faults.add(refusal('mail_host', { field: 'host', host }))
  }
  if (security === 'none' && !isLoopback(host)) {
    faults.add(refusal('smtp_unprotected', { field: 'security', host }))
  }
  return host
}

/** Returns settings in the form in which they are stored, and adds a fault for each that cannot work. */
export function checkedSettings(given: SmtpSettings, faults: Faults): SmtpSettings {
  const host = checkedHost(given.host, given.security, faults)
  const username = given.username.trim()
  const domains = given.sender_domains.map((domain) => domain.trim().toLowerCase().replace(/^@/, ''))
  if (given.authentication !== 'none' && username === '') {
    faults.add(
      refusal('blank_when', { field: 'username', other: 'authentication', value: given.authentication })
    )
  }
  for (const [index, domain] of domains.entries()) {
    if (!isDomain(domain)) faults.add(refusal('domain', { field: `sender_domains.${index}`, domain }))
  }
  return {
    ...given,
    name: given.name.trim(),
    host,
    username: given.authentication === 'none' ? '' : username,
    sender_domains: [...new Set(domains)].sort()
  }
}

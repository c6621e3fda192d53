import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import type { DkimKeyRow } from '../../api/dkim-keys/queries.ts'
import { dnsRecordOf } from '../../api/dkim-keys/rules.ts'
import { refusal } from '../../base/refusal.ts'
import type { Finding } from './findings.ts'
import { keyFor } from '../signing.ts'
import { type Dns, DnsUnavailable } from './dns.ts'
import { isFreeMail, isServerOf, spfIncludeOf } from './mail-services.ts'
import { countLookups, type DmarcPolicy, policyIn } from './records.ts'

/** What messages of a sender look like to those who receive them. */
export interface PreflightSubject {
  /** The address in From. */
  sender: string
  /** The address that bounces go to. */
  returnPath: string
  /** Those of the organization that sign, the newest of each domain first. */
  keys: readonly DkimKeyRow[]
  servers: readonly { host: string; signs_dkim: number }[]
}

/** SPF fails for good if it needs more (RFC 7208 section 4.6.4). */
const mostLookups = 10

/** Checks what the domains of a sender publish. Never rejects because of the network. */
export async function preflight(subject: PreflightSubject, dns: Dns): Promise<Finding[]> {
  const sender = domainOf(subject.sender)
  const returnPath = domainOf(subject.returnPath)
  const [spf, dkim, dmarc, bounces] = await Promise.all([
    known('spf', () => checkSpf(returnPath, subject, dns)),
    known('dkim', () => checkDkim(subject, dns)),
    known('dmarc', () => checkDmarc(sender, dns)),
    known('bounces', () => checkBounces(returnPath, dns))
  ])
  const policy = dmarc.policy ?? null
  return [
    checkSender(sender, subject),
    spf,
    dkim,
    { check: 'dmarc', verdict: dmarc.verdict, reason: dmarc.reason },
    checkAlignment({ sender, returnPath, policy, subject, isSpf: spf.verdict === 'pass' }),
    bounces
  ]
}

/** Compares the DNS with a key. */
export async function checkDkimRecord(key: DkimKeyRow, dns: Dns): Promise<Finding> {
  return known('dkim', () => compareRecord(key, dns))
}

type Found = Finding & { policy?: DmarcPolicy }

async function known(check: Finding['check'], work: () => Promise<Found>): Promise<Found> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error
    return { check, verdict: 'unknown', reason: refusal('preflight_no_dns') }
  }
}

function checkSender(domain: string, { servers }: PreflightSubject): Finding {
  const check = 'sender'
  if (!isFreeMail(domain))
    return { check, verdict: 'pass', reason: refusal('sender_of_own_domain', { domain }) }
  const isOfProvider = servers.length > 0 && servers.every(({ host }) => isServerOf(domain, host))
  return isOfProvider
    ? { check, verdict: 'warning', reason: refusal('sender_free_mail_by_provider', { domain }) }
    : { check, verdict: 'fault', reason: refusal('sender_free_mail', { domain }) }
}

async function checkSpf(domain: string, { servers }: PreflightSubject, dns: Dns): Promise<Finding> {
  const check = 'spf'
  const records = (await dns.texts(domain)).filter((text) => /^v=spf1( |$)/i.test(text))
  const [record] = records
  if (record === undefined) return { check, verdict: 'warning', reason: refusal('spf_none', { domain }) }
  if (records.length > 1) return { check, verdict: 'fault', reason: refusal('spf_several', { domain }) }
  const lookups = await countLookups(domain, record, dns)
  if (lookups.count > mostLookups) {
    const reason = refusal('spf_too_many_lookups', { domain, count: lookups.count, most: mostLookups })
    return { check, verdict: 'fault', reason }
  }
  if (lookups.allowsAll) return { check, verdict: 'warning', reason: refusal('spf_allows_all', { domain }) }
  const missing = servers
    .map(({ host }) => spfIncludeOf(host))
    .find((include) => include && !lookups.names.has(include))
  if (missing)
    return { check, verdict: 'fault', reason: refusal('spf_service_missing', { domain, include: missing }) }
  return { check, verdict: 'pass', reason: refusal('spf_found', { domain }) }
}

async function checkDkim({ sender, keys, servers }: PreflightSubject, dns: Dns): Promise<Finding> {
  const check = 'dkim'
  const signing = servers.filter((server) => server.signs_dkim === 0)
  if (servers.length > 0 && signing.length === 0) {
    return { check, verdict: 'pass', reason: refusal('dkim_by_server') }
  }
  const key = keyFor(sender, keys)
  if (!key) return { check, verdict: 'warning', reason: refusal('dkim_none', { domain: domainOf(sender) }) }
  return compareRecord(key, dns)
}

async function compareRecord(key: DkimKeyRow, dns: Dns): Promise<Finding> {
  const check = 'dkim'
  const { name } = dnsRecordOf(key)
  const [record, ...others] = await dns.texts(name)
  if (record === undefined)
    return { check, verdict: 'fault', reason: refusal('dkim_record_missing', { name }) }
  if (others.length > 0) return { check, verdict: 'fault', reason: refusal('dkim_record_several', { name }) }
  const published = /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]?.replaceAll(/\s/g, '')
  return published === key.public_key
    ? { check, verdict: 'pass', reason: refusal('dkim_record_right', { name }) }
    : { check, verdict: 'fault', reason: refusal('dkim_record_differs', { name }) }
}

async function checkDmarc(domain: string, dns: Dns): Promise<Found> {
  const check = 'dmarc'
  const owner = ownerOf(domain)
  for (const place of new Set([domain, owner])) {
    const records = (await dns.texts(`_dmarc.${place}`)).filter((text) => /^v=DMARC1\s*(;|$)/i.test(text))
    const [record] = records
    if (record === undefined) continue
    if (records.length > 1)
      return { check, verdict: 'fault', reason: refusal('dmarc_several', { domain: place }) }
    const policy = policyIn(record, place !== domain)
    if (!policy) return { check, verdict: 'fault', reason: refusal('dmarc_unreadable', { domain: place }) }
    return {
      check,
      verdict: 'pass',
      reason: refusal('dmarc_found', { domain: place, policy: policy.action }),
      policy
    }
  }
  return { check, verdict: 'warning', reason: refusal('dmarc_none', { domain: owner }) }
}

interface Alignment {
  sender: string
  returnPath: string
  /** null if none is known. */
  policy: DmarcPolicy | null
  subject: PreflightSubject
  isSpf: boolean
}

/** DMARC passes if SPF or DKIM passes for the sender's own domain (RFC 7489 section 3.1). */
function checkAlignment({ sender, returnPath, policy, subject, isSpf }: Alignment): Finding {
  const check = 'alignment'
  const isAligned = (domain: string, isStrict: boolean): boolean =>
    domain === sender || (!isStrict && ownerOf(domain) === ownerOf(sender))
  const key = keyFor(subject.sender, subject.keys)
  const signs = subject.servers.some((server) => server.signs_dkim === 0)
  if (signs && key && isAligned(key.domain, policy?.isStrictDkim ?? false)) {
    return { check, verdict: 'pass', reason: refusal('aligned_by_dkim', { domain: sender }) }
  }
  if (isSpf && isAligned(returnPath, policy?.isStrictSpf ?? false)) {
    return { check, verdict: 'pass', reason: refusal('aligned_by_spf', { domain: sender }) }
  }
  if (subject.servers.some((server) => server.signs_dkim === 1)) {
    return { check, verdict: 'warning', reason: refusal('aligned_by_server', { domain: sender }) }
  }
  // The return address belongs to the sender, and only SPF stands in the way.
  if (!isSpf && isAligned(returnPath, policy?.isStrictSpf ?? false)) {
    const isRefused = policy !== null && policy.action !== 'none'
    const reason = refusal('not_aligned_without_spf', { domain: sender })
    return { check, verdict: isRefused ? 'fault' : 'warning', reason }
  }
  if (policy === null || policy.action === 'none') {
    return { check, verdict: 'warning', reason: refusal('not_aligned', { domain: sender }) }
  }
  const reason = refusal('not_aligned_refused', { domain: sender, policy: policy.action })
  return { check, verdict: 'fault', reason }
}

async function checkBounces(domain: string, dns: Dns): Promise<Finding> {
  const check = 'bounces'
  const takesMail = (await dns.mailServers(domain)).length > 0 || (await dns.hasAddress(domain))
  return takesMail
    ? { check, verdict: 'pass', reason: refusal('bounces_taken', { domain }) }
    : { check, verdict: 'fault', reason: refusal('bounces_lost', { domain }) }
}

function domainOf(address: string): string {
  return domainToASCII(
    address
      .slice(address.lastIndexOf('@') + 1)
      .trim()
      .toLowerCase()
  )
}

/** The domain that someone registered, such as example.co.uk for news.example.co.uk. */
function ownerOf(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain
}

import type { Dns } from './dns.ts'

/** What an SPF record leads to. */
export interface SpfLookups {
  /** The lookups that a receiver needs (RFC 7208 section 4.6.4). */
  count: number
  /** The domains that it includes, directly or through others. */
  names: Set<string>
  /** True if any computer may send for the domain. */
  allowsAll: boolean
}

/** Enough to know that there are too many. */
const mostCounted = 30

/** Follows the includes of an SPF record. @throws DnsUnavailable */
export async function countLookups(domain: string, record: string, dns: Dns): Promise<SpfLookups> {
  const found: SpfLookups = { count: 0, names: new Set([domain]), allowsAll: false }
  const follow = async (text: string, isOwn: boolean): Promise<void> => {
    for (const term of text.split(/\s+/).slice(1)) {
      const [, mechanism = '', target = ''] =
        /^[+\-~?]?(include|a|mx|ptr|exists|redirect|all)(?:[:=]([^/]+)|\/|$)/i.exec(term) ?? []
      const kind = mechanism.toLowerCase()
      if (kind === 'all') {
        if (isOwn && /^\+?all$/i.test(term)) found.allowsAll = true
        continue
      }
      if (kind === '') continue
      found.count++
      if (found.count > mostCounted) return
      if (kind !== 'include' && kind !== 'redirect') continue
      const name = target.toLowerCase()
      // A name with macros depends on the message.
      if (name === '' || name.includes('%') || found.names.has(name)) continue
      found.names.add(name)
      const next = (await dns.texts(name)).find((each) => /^v=spf1( |$)/i.test(each))
      if (next !== undefined) await follow(next, isOwn && kind === 'redirect')
    }
  }
  await follow(record, true)
  return found
}

/** What a domain asks receivers to do with messages that it did not send. */
export interface DmarcPolicy {
  action: 'none' | 'quarantine' | 'reject'
  isStrictDkim: boolean
  isStrictSpf: boolean
}

/** @param isOfSubdomain true if the record belongs to a domain above that of the sender @returns null for a record without a policy */
export function policyIn(record: string, isOfSubdomain: boolean): DmarcPolicy | null {
  const tags = new Map(
    record.split(';').map((part) => {
      const [name = '', value = ''] = part.split('=', 2)
      return [name.trim().toLowerCase(), value.trim().toLowerCase()]
    })
  )
  const action = (isOfSubdomain ? tags.get('sp') : undefined) ?? tags.get('p')
  if (action !== 'none' && action !== 'quarantine' && action !== 'reject') return null
  return { action, isStrictDkim: tags.get('adkim') === 's', isStrictSpf: tags.get('aspf') === 's' }
}

import { describe, expect, it } from 'vitest'
import type { DkimKey } from '../../src-main/api/dkim-keys/schema.ts'
import type { PreflightFinding } from '../../src-main/delivery/preflight/findings.ts'
import { Dns } from '../../src-main/delivery/preflight/dns.ts'
import { preflight, type PreflightSubject } from '../../src-main/delivery/preflight/preflight.ts'
import { startApplication } from '../support/application.ts'
import { expectSuccess } from '../support/builders.ts'
import { dnsServer, type Zone } from '../support/dns-server.ts'
import { routeTo } from '../support/smtp-route.ts'

const key = {
  ...{ id: 1, organization_id: 1, domain: 'example.com', selector: 'listwright', public_key: 'AAAA' },
  ...{ is_enabled: 1, credential_place: 'file' as const, created_at: 0, updated_at: 0 }
}
const server = { host: 'smtp.example.net', signs_dkim: 0 }
const wellKept: Required<Zone> = {
  TXT: {
    'example.com': ['v=spf1 include:_spf.example.net ~all', 'another text'],
    '_spf.example.net': ['v=spf1 ip4:192.0.2.1 -all'],
    'listwright._domainkey.example.com': ['v=DKIM1; k=rsa; p=AAAA'],
    '_dmarc.example.com': ['v=DMARC1; p=reject; rua=mailto:dmarc@example.com']
  },
  MX: { 'example.com': ['mx.example.com'] },
  A: {}
}

/** Returns the verdict and the rule of each check. */
async function verdictsOf(
  zone: Zone,
  subject: Partial<PreflightSubject> = {}
): Promise<Record<string, string>> {
  const { address } = await dnsServer({
    ...wellKept,
    ...zone,
    TXT: { ...wellKept.TXT, ...zone.TXT }
  })
  const findings = await preflight(
    {
      ...{ sender: 'news@example.com', returnPath: 'bounces@example.com' },
      ...{ keys: [key], servers: [server] },
      ...subject
    },
    new Dns([address])
  )
  return Object.fromEntries(
    findings.map(({ check, verdict, reason }) => [check, `${verdict} ${reason.rule}`])
  )
}

describe('a preflight', () => {
  it('passes a domain that publishes all', async () => {
    expect(await verdictsOf({})).toEqual({
      sender: 'pass sender_of_own_domain',
      spf: 'pass spf_found',
      dkim: 'pass dkim_record_right',
      dmarc: 'pass dmarc_found',
      alignment: 'pass aligned_by_dkim',
      bounces: 'pass bounces_taken'
    })
  })

  it.each<[string, string[], string]>([
    ['two records', ['v=spf1 -all', 'v=spf1 ~all'], 'fault spf_several'],
    ['no record', ['v=spf10 -all'], 'warning spf_none'],
    ['everyone', ['v=spf1 +all'], 'warning spf_allows_all'],
    [
      'eleven lookups',
      [`v=spf1 ${Array.from({ length: 11 }, (_, index) => `a:a${index}.example.com`).join(' ')} -all`],
      'fault spf_too_many_lookups'
    ]
  ])('says what is wrong with an SPF record: %s', async (_what, records, expected) => {
    expect((await verdictsOf({ TXT: { 'example.com': records } }))['spf']).toBe(expected)
  })

  it('wants the include of a service that is known, also inside another include', async () => {
    const google = { servers: [{ host: 'smtp.gmail.com', signs_dkim: 0 }] }
    const inside = { TXT: { '_spf.example.net': ['v=spf1 include:_spf.google.com -all'] } }

    expect((await verdictsOf({}, google))['spf']).toBe('fault spf_service_missing')
    expect((await verdictsOf(inside, google))['spf']).toBe('pass spf_found')
  })

  it('does not follow includes that lead back', async () => {
    const loop = { TXT: { '_spf.example.net': ['v=spf1 include:example.com -all'] } }

    expect((await verdictsOf(loop))['spf']).toBe('pass spf_found')
  })

  it('compares the published key with its own', async () => {
    const name = 'listwright._domainkey.example.com'

    expect((await verdictsOf({ TXT: { [name]: ['v=DKIM1; p=BBBB'] } }))['dkim']).toBe(
      'fault dkim_record_differs'
    )
    expect((await verdictsOf({ TXT: { [name]: [] } }))['dkim']).toBe('fault dkim_record_missing')
    expect((await verdictsOf({}, { keys: [] }))['dkim']).toBe('warning dkim_none')
  })

  it('finds the policy of the domain above, and what it means for a message that is not aligned', async () => {
    const strange = { keys: [], returnPath: 'bounces@example.net', sender: 'news@shop.example.com' }
    const found = await verdictsOf({}, strange)

    expect(found).toMatchObject({ dmarc: 'pass dmarc_found', alignment: 'fault not_aligned_refused' })
    expect((await verdictsOf({ TXT: { '_dmarc.example.com': [] } }, strange))['alignment']).toBe(
      'warning not_aligned'
    )
  })

  it('blames SPF where the return address is the own one, and nothing is signed', async () => {
    const unsigned = { keys: [], returnPath: 'bounces@example.com', sender: 'news@example.com' }

    expect((await verdictsOf({ TXT: { 'example.com': [] } }, unsigned))['alignment']).toMatch(
      / not_aligned_without_spf$/
    )
  })

  it('takes a strict policy at its word', async () => {
    const strict = { TXT: { '_dmarc.example.com': ['v=DMARC1; p=none; adkim=s; aspf=s'] } }

    expect((await verdictsOf(strict, { sender: 'news@shop.example.com' }))['alignment']).toBe(
      'warning not_aligned'
    )
  })

  it('calls a sender at a free mailbox a fault, unless its own provider sends', async () => {
    const sender = 'anna@gmail.com'

    expect((await verdictsOf({}, { sender }))['sender']).toBe('fault sender_free_mail')
    expect(
      (await verdictsOf({}, { sender, servers: [{ host: 'smtp.gmail.com', signs_dkim: 0 }] }))['sender']
    ).toBe('warning sender_free_mail_by_provider')
  })

  it('knows nothing where the DNS gives no answer, rather than finding a fault', async () => {
    const failing = {
      TXT: { 'example.com': 'fails', '_dmarc.example.com': 'fails' },
      MX: { 'example.com': 'fails' }
    } as const

    expect(await verdictsOf(failing)).toMatchObject({
      spf: 'unknown preflight_no_dns',
      dmarc: 'unknown preflight_no_dns',
      bounces: 'unknown preflight_no_dns'
    })
  })
})

describe('GET /preflight', () => {
  it('checks the keys and servers of the route, and says what to do', async () => {
    const zone: Zone = { TXT: {}, MX: {} }
    const { address } = await dnsServer(zone)
    const { api } = await startApplication(undefined, { dnsServers: [address] })
    await routeTo(api, 2525)
    const made = expectSuccess(await api.post<DkimKey>('/dkim_keys', { dkim_key: { domain: 'example.com' } }))
    const read = (): Promise<PreflightFinding[]> =>
      api.get<PreflightFinding[]>('/preflight?from_email=news@example.com').then(expectSuccess)

    const before = await read()
    zone.TXT = { [made.record_name]: [made.record_value] }
    const after = expectSuccess(await api.get<PreflightFinding>(`/dkim_keys/${made.id}/record`))

    expect(before.find(({ check }) => check === 'dkim')).toMatchObject({
      verdict: 'fault',
      message:
        'The DNS has no TXT record listwright._domainkey.example.com yet. Add it as shown; a new one can take an hour to be seen.'
    })
    expect(after.verdict).toBe('pass')
  })
})

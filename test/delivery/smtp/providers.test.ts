import { expect, it } from 'vitest'
import { Dns } from '../../../src-main/delivery/preflight/dns.ts'
import { Providers } from '../../../src-main/delivery/smtp/providers.ts'
import { dnsServer, type Zone } from '../../support/dns-server.ts'
import { until } from '../../support/smtp-route.ts'

async function providersOf(zone: Zone, known: { domain: string; provider: string | null }[] = []) {
  const { address, asked } = await dnsServer(zone)
  return { providers: new Providers(new Dns([address]), known), asked }
}

/** Asks as often as a domain that is worth a question has messages. */
function see(providers: Providers, domain: string): void {
  for (let message = 0; message < 5; message++) providers.paceKeyOf(domain)
}

it('domains that share their mail servers have one pace, once that is known', async () => {
  const { providers } = await providersOf({
    MX: { 'a.example': ['mx1.provider.com'], 'b.example': ['mx2.provider.com'], 'c.example': [] }
  })

  for (const domain of ['a.example', 'b.example', 'c.example']) see(providers, domain)
  const before = providers.paceKeyOf('a.example')
  await until(() => providers.paceKeyOf('b.example') === 'provider.com')

  expect(before).toBe('a.example')
  expect(providers.paceKeyOf('a.example')).toBe('provider.com')
  expect(providers.paceKeyOf('c.example')).toBe('c.example')
  expect(providers.takeFound()).toEqual(
    expect.arrayContaining([{ domain: 'a.example', provider: 'provider.com' }])
  )
})

it('a domain with few messages, or one that is known, is not looked up', async () => {
  const { providers, asked } = await providersOf({}, [{ domain: 'known.example', provider: 'provider.com' }])

  providers.paceKeyOf('rare.example')
  see(providers, 'known.example')
  see(providers, 'other.example')
  await until(() => asked.length > 0)

  expect(asked).toEqual(['MX other.example'])
})

it('nothing is looked up any more after three failures in a row: the computer is offline', async () => {
  const domains = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example', 'f.example', 'g.example']
  const { providers, asked } = await providersOf({
    MX: Object.fromEntries(domains.map((domain) => [domain, 'fails' as const]))
  })

  for (const domain of domains) {
    see(providers, domain)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }

  expect(new Set(asked).size).toBeLessThan(domains.length)
  expect(providers.takeFound()).toEqual([])
})

import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { lookupOfDownloads } from '../../src-main/imports/address-guard.ts'

const answers: Record<string, LookupAddress[]> = {
  'public.example': [
    { address: '203.0.113.7', family: 4 },
    { address: '2606:2800::1', family: 6 }
  ],
  'both.example': [
    { address: '203.0.113.7', family: 4 },
    { address: '192.168.1.1', family: 4 }
  ],
  'mapped.example': [{ address: '::ffff:10.0.0.1', family: 6 }]
}

function answer(
  host: string,
  _options: unknown,
  callback: (error: null, addresses: LookupAddress[]) => void
): void {
  callback(null, answers[host] ?? [])
}

beforeAll(() => {
  vi.spyOn(dns, 'lookup').mockImplementation(answer as typeof dns.lookup)
  // Other files of tests may have loaded what looks names up.
  syncBuiltinESMExports()
})
afterAll(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

function lookUp(host: string, all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookupOfDownloads(host, { all }, (error, address) => (error ? reject(error) : resolve(address)))
  })
}

describe('the name of a computer', () => {
  it('is looked up if all of its addresses are public', async () => {
    expect(await lookUp('public.example', true)).toEqual(answers['public.example'])
    expect(await lookUp('public.example', false)).toBe('203.0.113.7')
  })

  it.each(['both.example', 'mapped.example'])(
    'is refused if one of its addresses is private: %s',
    async (host) => {
      for (const all of [true, false]) {
        await expect(lookUp(host, all)).rejects.toThrow(
          `${host} is an address of this computer or of a private`
        )
      }
    }
  )
})

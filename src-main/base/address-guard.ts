import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

// Keeps what a user or a key's holder named from being fetched where only this machine or its network can reach it: they could otherwise
// have Listwright ask routers, cloud metadata or other local programs.

const guarded = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4]
] as const) {
  guarded.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  // Addresses that stand for one of IPv4: compatible, translated, Teredo and 6to4.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fec0::', 10],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8]
] as const) {
  guarded.addSubnet(network, prefix, 'ipv6')
}

/** True for IP addresses of this machine, private networks, and special ranges. */
export function isGuarded(address: string): boolean {
  return guarded.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** True for a host that is written as numbers and {@link isGuarded}. @param host as URL has it */
export function isGuardedHost({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) !== 0 && isGuarded(address)
}

/** Returns a DNS lookup that refuses guarded addresses. The connection uses the checked answer. */
export function guardedLookup(refuse: (host: string) => Error): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      if (addresses.some(({ address }) => isGuarded(address))) return callback(refuse(host), '', 0)
      const [first] = addresses
      if (options.all) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family)
    })
  }
}

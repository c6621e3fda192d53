/** The allowed targets of links; a replacement code may be all or a part of an address. */
const allowed = /^(?:https?:\/\/\S|mailto:\S|tel:\S|%%)/i
const withoutScheme = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/:?#]\S*)?$/u
const email = /^[^\s@/:]+@[^\s@/]+\.[^\s@/]+$/

/** True if messages may contain the address: others do nothing or harm in mail programs. */
export function isLinkAddress(address: string): boolean {
  return allowed.test(address)
}

/** Completes a typed link; '' = none, null = invalid. */
export function readLinkAddress(typed: string): string | null {
  const address = typed.trim()
  if (address === '' || isLinkAddress(address)) return address
  if (email.test(address)) return `mailto:${address}`
  return withoutScheme.test(address) ? `https://${address}` : null
}

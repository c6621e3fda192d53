/** Where a link of a message may lead; a replacement code may be all of an address, or a part of it. */
const allowed = /^(?:https?:\/\/\S|mailto:\S|tel:\S|%%)/i
/** What a person types for a page: a domain, and what follows it. */
const withoutScheme = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/:?#]\S*)?$/u
const email = /^[^\s@/:]+@[^\s@/]+\.[^\s@/]+$/

/** Whether messages may hold it: of what else there is, much does nothing in a mail program, and some does harm. */
export function isLinkAddress(address: string): boolean {
  return allowed.test(address)
}

/** A link as a person types it, made whole; '' for none, null for what is no link. */
export function readLinkAddress(typed: string): string | null {
  const address = typed.trim()
  if (address === '' || isLinkAddress(address)) return address
  if (email.test(address)) return `mailto:${address}`
  return withoutScheme.test(address) ? `https://${address}` : null
}

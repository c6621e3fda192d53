/** True if a server may be used for a sender. @param domains [] = all */
export function isForSender(domains: readonly string[], sender: string): boolean {
  const domain = sender.slice(sender.lastIndexOf('@') + 1).toLowerCase()
  return domains.length === 0 || domains.includes(domain)
}

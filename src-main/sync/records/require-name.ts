import { RemoteFault } from '../remote-fault.ts'

/**
 * An answer that tells of another record has not done what was asked, even if it says so.
 * @param what the record is, in the words of a person, with its name
 * @throws RemoteFault unavailable
 */
export function requireName(answer: { name: string } | null, name: unknown, what: string): void {
  if (answer?.name.trim() === String(name).trim()) return
  throw new RemoteFault('unavailable', `The server answered for ${what} with a different record`)
}

import { refusal } from '../../base/refusal.ts'
import { RemoteFault } from '../remote-fault.ts'

/**
 * Checks that an answer is about the record that was written.
 * @param what the record with its name, in a user's words
 * @throws RemoteFault unavailable
 */
export function requireName(answer: { name: string } | null, name: unknown, what: string): void {
  if (answer?.name.trim() === String(name).trim()) return
  throw new RemoteFault('unavailable', refusal('answered_with_other_record', { name: what }))
}

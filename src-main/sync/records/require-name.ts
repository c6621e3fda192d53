import { refusal } from '../../base/refusal.ts'
import { RemoteFault } from '../remote-fault.ts'

/**
 * Checks that an answer is about the record that was written.
 * @param what the kind of record, as a user calls it
 * @throws RemoteFault unavailable
 */
export function requireName(answer: { name: string } | null, name: unknown, what: string): void {
  if (answer?.name.trim() === String(name).trim()) return
  throw new RemoteFault('unavailable', refusal('answered_with_other_record', { what, name: String(name) }))
}

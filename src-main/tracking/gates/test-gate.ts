import { type KeyObject, randomInt } from 'node:crypto'
import type { GateTest } from '../../api/delivery-settings/schema.ts'
import { makeToken } from '../../api/subscribers/tokens.ts'
import { englishOf } from '../../base/refusal.ts'
import { gateRefusal } from '../../delivery/hand-over.ts'
import { GateClient, GateUnavailable } from '../../gates/client.ts'
import type { GateStatus } from '../../gates/protocol.ts'
import { messageOf } from '../../base/errors.ts'

/** Milliseconds in which a gate must answer a visitor. */
const visitWithin = 10_000

/**
 * Opens a message that was sent to nobody through a gate, as a recipient's mail program would, and fetches what the gate recorded.
 * @param secret that the links through the gate are signed with
 */
export async function testGate(address: string, key: string, secret: KeyObject): Promise<GateTest> {
  const began = performance.now()
  const api = new GateClient(address, key)
  try {
    await api.giveSecret(secret)
    const before = await api.status()
    const token = makeToken(secret, 'open', { subscriberId: 0, sliceId: randomInt(2 ** 47) })
    await visit(`${address}/o/${token}`)
    if (!(await isRecorded(api, before, token))) {
      throw new GateUnavailable('unreachable', 'it answered, but did not record the visit')
    }
    return { is_open: true, milliseconds: Math.round(performance.now() - began), words: '' }
  } catch (error) {
    if (!(error instanceof GateUnavailable)) throw error
    return { is_open: false, milliseconds: null, words: englishOf(gateRefusal(address, error)) }
  }
}

async function visit(url: string): Promise<void> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(visitWithin) })
    await response.arrayBuffer()
    if (response.ok) return
    throw new GateUnavailable('unreachable', `${response.status} ${response.statusText}`.trim())
  } catch (error) {
    if (error instanceof GateUnavailable) throw error
    throw new GateUnavailable('unreachable', messageOf(error))
  }
}

/** True if a gate has recorded an opening with the token since an earlier status. */
async function isRecorded(api: GateClient, { epochs: before }: GateStatus, token: string): Promise<boolean> {
  const lastBefore = new Map(before.map(({ epoch, last }) => [epoch, last]))
  for (const { epoch, last } of (await api.status()).epochs) {
    for (let after = lastBefore.get(epoch) ?? 0; after < last;) {
      const fetched = await api.events(epoch, after)
      if (fetched.events.some((event) => event.token === token)) return true
      if (fetched.last <= after) break
      after = fetched.last
    }
  }
  return false
}

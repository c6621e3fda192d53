import type { Kysely } from 'kysely'
import { messageOf } from '../../base/errors.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { ResolvedMessage } from '../journal.ts'
import { inFlightOf, slicesInFlight } from '../queries.ts'
import { flightLogPath, keyOf, readFlightLog } from './flight-log.ts'
import type { RetrySchedule } from './retry-schedule.ts'

/**
 * Stores what is known of messages that were in flight when a thread was cut off.
 * @param path of its flight log
 */
export async function resolveInterrupted(
  reader: Kysely<Schema>,
  sliceIds: readonly number[],
  path: string,
  store: (resolved: ResolvedMessage[]) => Promise<unknown>
): Promise<void> {
  const rows = await inFlightOf(reader, sliceIds)
  if (rows.length === 0) return
  const known = readFlightLog(path)
  const resolved = rows.map((row): ResolvedMessage => {
    const key = { sliceId: row.stat_slice_id, subscriberId: row.subscriber_id, number: row.number }
    const outcome = known
      ? (known.get(keyOf(key)) ?? ({ is: 'unsent', fault: null } as const))
      : ({ is: 'uncertain', reply: 'Listwright was ended before the reply' } as const)
    return { ...key, outcome }
  })
  await store(resolved)
}

/**
 * The same for everything at a start: campaigns that were cancelled or have failed get no thread any more. What cannot be stored, such as in a damaged
 * database, is left to the next start: no message leaves because of it.
 */
export async function resolveAllInterrupted(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  dataDirectory: string,
  schedule: RetrySchedule
): Promise<void> {
  try {
    for (const slice of await slicesInFlight(reader)) {
      const { sliceId } = slice
      const [name, command, id] = workOf(slice)
      const path = flightLogPath(dataDirectory, `${name}-${id}`)
      await resolveInterrupted(reader, [sliceId], path, (resolved) =>
        writer.run(command, { id, resolved, claim: null, schedule })
      )
    }
  } catch (error) {
    process.stderr.write(`What became of messages in flight could not be stored: ${messageOf(error)}\n`)
  }
}

/** Returns whose messages a content has: the name of the flight log, and the command that stores outcomes. */
function workOf({
  campaignId,
  autoresponderId,
  webFormId
}: Awaited<ReturnType<typeof slicesInFlight>>[number]) {
  if (campaignId !== null) return ['campaign', 'deliveries.advance', campaignId] as const
  if (webFormId !== null) return ['confirmations', 'confirmationDeliveries.advance', webFormId] as const
  return ['autoresponder', 'autoresponderDeliveries.advance', autoresponderId ?? 0] as const
}

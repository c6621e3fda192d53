import type { ListIds } from '../list-ids.ts'
import type { Run } from '../run-context.ts'
import { messages } from './messages.ts'
import type { RecordKind, SyncRecord } from './mirror-records.ts'
import { segments } from './segments.ts'

/** What is done with the records of a kind, whatever the remote's look like. */
type Use = <Theirs extends SyncRecord>(kind: RecordKind<Theirs>) => Promise<unknown>

/** Goes through the records of a list that come after its subscribers, in the order in which one needs the other. */
export async function forRecordsOfList(
  run: Run,
  { localId, theirId }: { localId: number; theirId: number },
  ids: ListIds,
  use: Use
): Promise<void> {
  await use(segments(run, localId, theirId, ids))
  await use(messages(run, 'template', localId, theirId))
  await use(messages(run, 'campaign', localId, theirId))
}

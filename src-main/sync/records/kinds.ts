import type { ListIds } from '../list-ids.ts'
import type { Run } from '../run-context.ts'
import { messages } from './messages.ts'
import type { RecordKind, SyncRecord } from './mirror-records.ts'
import { segments } from './segments.ts'

type Use = <Theirs extends SyncRecord>(kind: RecordKind<Theirs>) => Promise<unknown>

/** Calls `use` for each kind of record that is mirrored after a list's subscribers, in dependency order. */
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

import { refusal } from '../../base/refusal.ts'
import { ApiError, refusalOf } from '../../base/errors.ts'
import { decisionsOf, linksOf } from '../queries.ts'
import { isFault } from '../remote-fault.ts'
import type { LinkedKind } from '../schema.ts'
import { isMassive } from '../mass-change.ts'
import { Question } from '../question.ts'
import {
  answerFor,
  countOperation,
  deleteRefusal,
  type Named,
  recordNewConflicts,
  recordRefusal,
  type Run,
  markDecisionsApplied,
  wasRefused
} from '../run-context.ts'
import { type Content, isSame, mergeContents } from './merge-contents.ts'

/** A record of one side. */
export interface SyncRecord {
  id: number
  content: Content
  /** True if the record is history on the remote, such as a sent campaign: it is never changed or matched. */
  isSettled?: boolean
}

/**
 * Reads and writes the records of one kind on both sides. Both read the same contents, with local references.
 */
export interface RecordKind<Theirs extends SyncRecord = SyncRecord> {
  kind: LinkedKind
  /** null = the organization. */
  mailingListId: number | null
  /** False excludes a local record from mirroring. Default: all are included. */
  concerns?: (localId: number) => boolean
  nameOf: (content: Content) => string
  /** Records with the same key are the same record when the sides are matched for the first time. */
  keyOf: (content: Content) => string
  readLocal: () => Promise<SyncRecord[]>
  readRemote: () => Promise<Theirs[]>
  createRemote: (content: Content, localId: number) => Promise<Theirs>
  updateRemote: (theirs: Theirs, content: Content, localId: number) => Promise<void>
  /** Absent if the specification has no call: the record then stays there. */
  removeRemote?: (theirId: number) => Promise<void>
  noteSettled?: (localId: number, theirs: Theirs) => Promise<void>
  createLocal: (content: Content, theirs: Theirs) => Promise<number>
  updateLocal: (localId: number, content: Content) => Promise<void>
  /** Absent if a record that was deleted there stays here. */
  removeLocal?: (localId: number) => Promise<void>
}

export interface Linked<Theirs extends SyncRecord> {
  local: SyncRecord
  theirs: Theirs
}

/** A record of both sides, with the last agreed content; null = matched for the first time. */
interface Pair<Theirs extends SyncRecord> {
  theirs: Theirs
  agreed: Content | null
}

interface Sides<Theirs extends SyncRecord> {
  locals: Map<number, SyncRecord>
  theirs: Map<number, Theirs>
  /** By local id. */
  pairs: Map<number, Pair<Theirs>>
}

/**
 * Mirrors the records of a kind. Creations are recorded before they are sent, and looked up by their key
 * before they are sent again, so that an interrupted run continues without duplicates.
 */
export async function mirrorRecords<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>
): Promise<Linked<Theirs>[]> {
  const links = (await linksOf(run.reader, run.remoteId, kind.kind, kind.mailingListId)).filter(
    ({ localId }) => kind.concerns?.(localId) ?? true
  )
  const sides: Sides<Theirs> = {
    locals: new Map((await kind.readLocal()).map((record) => [record.id, record])),
    theirs: new Map((await kind.readRemote()).map((record) => [record.id, record])),
    pairs: new Map()
  }
  const known = links.filter(({ localId, theirId }) => sides.locals.has(localId) && theirId !== null)
  askForGoneRecords(run, kind, known, sides.theirs)
  for (const link of links) await pairLinked(run, kind, link, sides)
  matchByKey(kind, sides)
  return mergePairs(run, kind, sides)
}

async function pairLinked<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  { localId, theirId, agreed }: { localId: number; theirId: number | null; agreed: Content | null },
  { locals, theirs, pairs }: Sides<Theirs>
): Promise<void> {
  const local = locals.get(localId)
  const other = theirId === null ? undefined : theirs.get(theirId)
  if (!local) {
    if (other) theirs.delete(other.id)
    // If the record stays on the remote, its link is kept, so that it does not look like a new record.
    if (!other || (await removeThere(run, kind, localId, other))) await unlink(run, kind, localId)
  } else if (other?.isSettled) {
    await kind.noteSettled?.(localId, other)
    locals.delete(localId)
  } else if (other) {
    pairs.set(localId, { theirs: other, agreed })
    theirs.delete(other.id)
  } else if (theirId !== null && agreed && (await removeHere(run, kind, local, agreed))) {
    locals.delete(localId)
  }
}

/** Pairs records without a link by their key; of several, first those with the same content. */
function matchByKey<Theirs extends SyncRecord>(
  kind: RecordKind<Theirs>,
  { locals, theirs, pairs }: Sides<Theirs>
): void {
  for (const record of theirs.values()) if (record.isSettled) theirs.delete(record.id)
  const byKey = Map.groupBy(theirs.values(), (record) => kind.keyOf(record.content))
  for (const local of locals.values()) {
    if (pairs.has(local.id)) continue
    const alike = byKey.get(kind.keyOf(local.content)) ?? []
    const other = alike.find(({ content }) => isSame(content, local.content)) ?? alike[0]
    if (!other) continue
    pairs.set(local.id, { theirs: other, agreed: null })
    alike.splice(alike.indexOf(other), 1)
    theirs.delete(other.id)
  }
}

async function mergePairs<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  { locals, theirs, pairs }: Sides<Theirs>
): Promise<Linked<Theirs>[]> {
  const linked: Linked<Theirs>[] = []
  for (const local of locals.values()) {
    const pair = pairs.get(local.id)
    const found = pair
      ? await mergePair(run, kind, local, pair.theirs, pair.agreed)
      : await createThere(run, kind, local)
    if (found) linked.push({ local, theirs: found })
  }
  if (run.rules.direction !== 'both') return linked
  for (const other of theirs.values()) {
    const local = await createHere(run, kind, other)
    if (local) linked.push({ local, theirs: other })
  }
  return linked
}

/**
 * Deleting fields and segments here because they are missing there.
 * @throws Question if they are many, or all
 */
function askForGoneRecords<Theirs extends SyncRecord>(
  run: Run,
  { kind, mailingListId, removeLocal }: RecordKind<Theirs>,
  links: readonly { theirId: number | null }[],
  theirs: ReadonlyMap<number, Theirs>
): void {
  const question = goneQuestion(kind)
  if (!removeLocal || run.rules.direction === 'mirror' || answerFor(run, question, mailingListId) !== null)
    return
  const gone = links.filter(({ theirId }) => !theirs.has(theirId ?? 0)).length
  if (!isMassive(gone, links.length)) return
  throw new Question(question, refusal(question, { gone, count: links.length }), mailingListId)
}

function goneQuestion(kind: LinkedKind): 'fields_gone' | 'segments_gone' {
  return kind === 'segment' ? 'segments_gone' : 'fields_gone'
}

async function mergePair<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  local: SyncRecord,
  theirs: Theirs,
  agreed: Content | null
): Promise<Theirs> {
  const named = namedOf(kind, local)
  const decisions = await decisionsOf(run.reader, run.remoteId, kind.kind, local.id)
  const merged = mergeContents(local.content, theirs.content, agreed, run.rules, decisions)
  const next = { ...merged.agreed }
  let isDone = true
  if (merged.remote && !wasRefused(run, 'remote', named, merged.remote)) {
    const content = merged.remote
    if (await attempt(run, 'remote', named, content, () => kind.updateRemote(theirs, content, local.id))) {
      countOperation(run, 'pushed', kind.kind)
      theirs.content = content
    } else isDone = withoutDifferences(next, content, theirs.content, agreed)
  } else if (merged.remote) isDone = withoutDifferences(next, merged.remote, theirs.content, agreed)
  if (merged.local && !wasRefused(run, 'local', named, merged.local)) {
    const content = merged.local
    if (await attempt(run, 'local', named, content, () => kind.updateLocal(local.id, content))) {
      countOperation(run, 'pulled', kind.kind)
      local.content = content
    } else isDone = withoutDifferences(next, content, local.content, agreed)
  } else if (merged.local) isDone = withoutDifferences(next, merged.local, local.content, agreed)
  // Refused values are found again by the next run.
  await recordNewConflicts(
    run,
    (isDone ? merged.conflicts : []).map((conflict) => ({
      kind: kind.kind,
      mailingListId: kind.mailingListId,
      localId: local.id,
      name: named.name,
      ...conflict
    }))
  )
  if (JSON.stringify(next) !== JSON.stringify(agreed)) await link(run, kind, local.id, theirs.id, next)
  if (isDone && decisions.size > 0) await markDecisionsApplied(run, kind.kind, [local.id])
  return theirs
}

/**
 * Removes from the agreed state what could not be written, so that the next run finds it again.
 * @returns false
 */
function withoutDifferences(next: Content, wanted: Content, is: Content, agreed: Content | null): false {
  for (const field of Object.keys(wanted)) {
    if (!isSame(wanted[field], is[field])) next[field] = agreed?.[field]
  }
  return false
}

async function createThere<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  local: SyncRecord
): Promise<Theirs | null> {
  const named = namedOf(kind, local)
  if (wasRefused(run, 'remote', named, local.content)) return null
  // Stored before it is sent: if no answer comes, the next run checks whether the record exists.
  await link(run, kind, local.id, null, null)
  const created: Theirs[] = []
  await attempt(run, 'remote', named, local.content, async () => {
    created.push(await kind.createRemote(local.content, local.id))
  })
  const [theirs] = created
  if (!theirs) return null
  countOperation(run, 'pushed', kind.kind)
  await link(run, kind, local.id, theirs.id, local.content)
  return theirs
}

async function createHere<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  theirs: Theirs
): Promise<SyncRecord | null> {
  const named: Named = { ...namedOf(kind, theirs), recordId: theirs.id }
  if (wasRefused(run, 'local', named, theirs.content)) return null
  const created: number[] = []
  await attempt(run, 'local', named, theirs.content, async () => {
    created.push(await kind.createLocal(theirs.content, theirs))
  })
  const [localId] = created
  if (localId === undefined) return null
  countOperation(run, 'pulled', kind.kind)
  await link(run, kind, localId, theirs.id, theirs.content)
  return { id: localId, content: theirs.content }
}

/**
 * Deletes a record there that was deleted here.
 * @returns true if it is gone
 */
async function removeThere<Theirs extends SyncRecord>(
  run: Run,
  { kind, mailingListId, nameOf, removeRemote }: RecordKind<Theirs>,
  localId: number,
  theirs: Theirs
): Promise<boolean> {
  if (!removeRemote) return false
  const named = { kind, mailingListId, recordId: localId, name: nameOf(theirs.content) }
  if (!(await attempt(run, 'remote', named, theirs.content, () => removeRemote(theirs.id)))) return false
  countOperation(run, 'pushed', kind)
  return true
}

/**
 * Deletes a record that was deleted on the remote, unless it was changed here since or this side wins: then
 * it is sent again.
 * @returns true if it was deleted
 */
async function removeHere<Theirs extends SyncRecord>(
  run: Run,
  kind: RecordKind<Theirs>,
  local: SyncRecord,
  agreed: Content
): Promise<boolean> {
  const isChanged = Object.keys(local.content).some((field) => !isSame(local.content[field], agreed[field]))
  const { removeLocal } = kind
  const isSentAgain = answerFor(run, goneQuestion(kind.kind), kind.mailingListId) === 'send_again'
  if (!removeLocal || isChanged || isSentAgain || run.rules.direction === 'mirror') return false
  const named = namedOf(kind, local)
  if (!(await attempt(run, 'local', named, 'removed', () => removeLocal(local.id)))) return false
  countOperation(run, 'pulled', kind.kind)
  await unlink(run, kind, local.id)
  return true
}

/**
 * Tries a change that a side may refuse.
 * @returns true if it was accepted
 */
async function attempt(
  run: Run,
  side: 'local' | 'remote',
  named: Named,
  content: unknown,
  act: () => Promise<void>
): Promise<boolean> {
  try {
    await act()
    await deleteRefusal(run, side, named)
    return true
  } catch (error) {
    const isRefusal = side === 'remote' ? isFault(error, 'refused', 'not_found') : error instanceof ApiError
    if (!isRefusal || !(error instanceof Error)) throw error
    await recordRefusal(run, side, named, content, refusalOf(error))
    return false
  }
}

function namedOf<Theirs extends SyncRecord>(
  { kind, mailingListId, nameOf }: RecordKind<Theirs>,
  record: SyncRecord
): Named {
  return { kind, mailingListId, recordId: record.id, name: nameOf(record.content) }
}

async function link<Theirs extends SyncRecord>(
  run: Run,
  { kind, mailingListId }: RecordKind<Theirs>,
  localId: number,
  theirId: number | null,
  agreed: Content | null
): Promise<void> {
  await run.client.run('syncs.link', {
    remoteId: run.remoteId,
    kind,
    mailingListId,
    localId,
    theirId,
    agreed: agreed && JSON.stringify(agreed)
  })
}

async function unlink<Theirs extends SyncRecord>(
  run: Run,
  { kind }: RecordKind<Theirs>,
  localId: number
): Promise<void> {
  const { remoteId } = run
  // The mirror of a deleted list starts over if the list is restored. Otherwise its former subscribers would
  // look like subscribers removed on the remote.
  if (kind === 'mailing_list')
    await run.client.run('syncs.deleteAgreedList', { remoteId, mailingListId: localId })
  else await run.client.run('syncs.unlink', { remoteId, kind, localId })
}

import { readRowFault } from '../../imports/row-faults.ts'
import { refusal } from '../../base/refusal.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { type FieldDefinition, joinCheckboxes } from '../../api/custom-fields/rules.ts'
import type { SubscriberImport } from '../../api/subscriber-imports/schema.ts'
import { CsvReader } from '../../csv/csv-reader.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import type { AgreedRow } from '../commands/subscribers.ts'
import { addedIdsExtension } from '../../http/extensions.ts'
import { inParallel } from '../in-parallel.ts'
import { answers } from '../answers.ts'
import { shortened } from '../remote-api.ts'
import { isFault, RemoteFault } from '../remote-fault.ts'
import { noteRefusals, refusalKey, versionOf } from '../run-context.ts'
import { packValues } from './agreed.ts'
import { countSubscribers, type ListRun, localPeople, namedSubscriber } from './list-run.ts'
import { type Common, isoTime, slotOf, slots, type Value, type Values } from './person.ts'

/**
 * Bytes of one import; a remote accepts 10 million, but what is in flight has to be remembered. The first
 * piece is short so that the remote can start early, and each further one is twice as long.
 */
const pieceLength = { first: 1_000_000, longest: 6_000_000 }
/** Imports of the remote that are under way at once: while one is carried out the next is written and sent. */
const atOnce = 2
/** Waits between two looks at an import, in milliseconds: the longer it has taken so far, the longer they are. */
const looks = { first: 50, growth: 1.2, longest: 1000 }
/** Agreements that one command notes. */
const notedAtOnce = 500

const format = { csv_field_separator: ',', csv_field_enclosure: '"' }
const writeCsv = csvWriter(format)

/** A subscriber that the remote does not have yet. */
export interface NewPerson {
  id: number
  values: Values
}

/**
 * Adds subscribers by imports of the remote that skip existing ones, so an import that was cut off or
 * repeated creates no duplicates.
 */
export async function pushByImport(
  listRun: ListRun,
  people: AsyncIterable<NewPerson>,
  onProgress: (done: number) => Promise<void>
): Promise<void> {
  const columns = columnsOf(listRun.common)
  const underWay: Promise<number>[] = []
  let done = 0
  const settleOne = async (): Promise<void> => {
    done += (await underWay.shift()) ?? 0
    await onProgress(done)
  }
  try {
    for await (const piece of piecesOf(people, columns, listRun.common)) {
      if (underWay.length === atOnce) await settleOne()
      const sent = importPiece(listRun, columns, piece)
      // Its error is thrown where it is awaited.
      sent.catch(() => undefined)
      underWay.push(sent)
    }
    while (underWay.length > 0) await settleOne()
  } finally {
    await Promise.allSettled(underWay)
  }
}

/**
 * Returns the agreed state after an import. Files cannot contain a confirmation, so that change follows
 * separately.
 */
function agreedAfterImport(values: Values, { slots: inOrder }: Common): Uint8Array {
  const confirmed = inOrder.indexOf(slots.confirmed)
  return packValues(values[confirmed] === true ? values.with(confirmed, false) : values, inOrder)
}

interface Column {
  name: string
  cell: (values: Values) => string
}

function columnsOf({ fields, hasFormat, slots: inOrder }: Common): Column[] {
  const column = (
    name: string,
    slot: number,
    write: (value: Value | undefined) => string = textOf
  ): Column => {
    const at = inOrder.indexOf(slot)
    return { name, cell: (values) => write(values[at]) }
  }
  return [
    column('email', slots.email),
    column('status', slots.status),
    column('subscribe_time', slots.subscribe_time, (seconds) =>
      typeof seconds === 'number' ? isoTime(seconds) : ''
    ),
    column('subscribe_ip', slots.subscribe_ip),
    // Files call it text, and everything else plaintext.
    ...(hasFormat
      ? [column('email_format', slots.email_format, (format) => textOf(format).replace('plaintext', 'text'))]
      : []),
    ...fields.map(({ field, theirName }) =>
      column(theirName, slotOf(field), (value) => fieldCell(field, value))
    )
  ]
}

function fieldCell(field: FieldDefinition, value: Value | undefined): string {
  if (Array.isArray(value)) return joinCheckboxes(field, value)
  // Files can express a day only with a year.
  return field.type === 'day_of_year' && value !== undefined ? `2000-${String(value)}` : textOf(value)
}

function textOf(value: Value | undefined): string {
  return value === undefined ? '' : String(value)
}

/** The data kept of a subscriber during an import: not the values, which would take too much memory. */
interface SentPerson {
  id: number
  email: string
  agreed: Uint8Array
}

interface Piece {
  content: string
  people: SentPerson[]
}

async function* piecesOf(
  people: AsyncIterable<NewPerson>,
  columns: Column[],
  common: Common
): AsyncGenerator<Piece> {
  let lines: string[] = []
  let length = 0
  let wanted = pieceLength.first
  let inPiece: SentPerson[] = []
  const piece = (): Piece => ({ content: lines.join(''), people: inPiece })
  for await (const each of people) {
    const line = writeCsv([columns.map(({ cell }) => cell(each.values))])
    lines.push(line)
    const [email] = each.values
    inPiece.push({ id: each.id, email: String(email), agreed: agreedAfterImport(each.values, common) })
    length += Buffer.byteLength(line)
    if (length < wanted) continue
    yield piece()
    wanted = Math.min(pieceLength.longest, wanted * 2)
    lines = []
    inPiece = []
    length = 0
  }
  if (inPiece.length > 0) yield piece()
}

/** @returns how many people were in it */
async function importPiece(listRun: ListRun, columns: Column[], { content, people }: Piece): Promise<number> {
  const { run, theirListId, syncListId } = listRun
  const { data } = await run.api.post<SubscriberImport>(
    `/mailing_lists/${theirListId}/subscriber_imports`,
    answers.subscriberImport,
    {
      subscriber_import: {
        overwrite: false,
        column_mapping: columns.map(({ name }) => name),
        file_source: { type: 'json', content },
        file_format: { csv_has_headers: false, character_set: 'UTF-8', date_format: 'mdy' }
      }
    }
  )
  const ended = await ending(listRun, data.id)
  const sent = new Set(people.map(({ email }) => email))
  const failed = await failedRows(listRun, ended, sent)
  const isThere = await addedTest(listRun, ended, people.length, sent)
  const theirIds = await idsOfAdded(listRun, ended, people)
  const rows = people
    .filter(({ email }) => !failed.has(email) && isThere(email))
    .map(({ id, email, agreed }): AgreedRow => [id, theirIds.get(email) ?? null, agreed])
  await inParallel(chunksOf(rows), (some) =>
    run.client.run('syncs.noteSubscribers', { syncListId, rows: some })
  )
  const refused = people.filter(({ email }) => failed.has(email))
  for (const some of chunksOf(refused)) await recordFailedRows(listRun, some, failed)
  countSubscribers(listRun, 'pushed', rows.length)
  await deleteAcceptedRefusals(listRun, rows)
  // A scan finds the remote ids of subscribers that the import skipped, and whether a subscriber is confirmed.
  const isComplete = rows.length + refused.length === people.length && rows.every(([, theirId]) => theirId)
  if (!isComplete || listRun.common.hasConfirmed) listRun.needsScan = true
  return people.length
}

/**
 * Returns the remote's ids of the subscribers that an import added, by email, if the remote tells them. An email that several subscribers share
 * identifies none of them.
 */
async function idsOfAdded(
  { run }: ListRun,
  { id }: SubscriberImport,
  people: readonly SentPerson[]
): Promise<ReadonlyMap<string, number>> {
  if (!run.api.offers(addedIdsExtension)) return new Map()
  const shared = repeatedOf(people.map(({ email }) => email))
  const sent = new Set(people.map(({ email }) => email).filter((email) => !shared.has(email)))
  try {
    return await run.api.readText(`/subscriber_imports/${id}/added_ids`, maxLog, () => idReader(sent))
  } catch (error) {
    // They are also found by a scan.
    if (!(error instanceof RemoteFault)) throw error
    return new Map()
  }
}

function idReader(sent: ReadonlySet<string>): {
  push: (text: string) => void
  end: () => Map<string, number>
} {
  const ids = new Map<string, number>()
  const told: string[] = []
  const toldIds: string[] = []
  const reader = new CsvReader({ separator: ',', enclosure: '"' }, ([theirId = '', email = '']) => {
    if (!isId.test(theirId) || !sent.has(email)) return
    told.push(email)
    toldIds.push(theirId)
    ids.set(email, Number(theirId))
  })
  return {
    push: (text) => reader.push(text),
    end: () => {
      reader.end()
      for (const email of repeatedOf(told)) ids.delete(email)
      // Two subscribers cannot have one id.
      return repeatedOf(toldIds).size > 0 ? new Map() : ids
    }
  }
}

const isId = /^[1-9]\d{0,14}$/

function repeatedOf(texts: readonly string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(texts.filter((text) => seen.size === seen.add(text).size))
}

async function deleteAcceptedRefusals({ run }: ListRun, rows: readonly AgreedRow[]): Promise<void> {
  const taken = rows
    .map(([id]) => id)
    .filter((id) => run.refused.delete(refusalKey('remote', { kind: 'subscriber', recordId: id })))
  for (const recordIds of chunksOf(taken)) {
    await run.client.run('syncs.deleteRefusals', {
      remoteId: run.remoteId,
      side: 'remote',
      kind: 'subscriber',
      recordIds
    })
  }
}

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / notedAtOnce)
  return Array.from({ length: count }, (_, at) => items.slice(at * notedAtOnce, (at + 1) * notedAtOnce))
}

async function recordFailedRows(
  listRun: ListRun,
  people: readonly SentPerson[],
  reasons: ReadonlyMap<string, string>
): Promise<void> {
  const { run } = listRun
  const locals = await localPeople(
    listRun,
    people.map(({ id }) => id)
  )
  const refusals = people.flatMap(({ id, email }) => {
    const person = locals.get(id)?.person
    if (!person) return []
    const version = versionOf([...person])
    const fault = readRowFault(reasons.get(email) ?? '')
    return [{ ...namedSubscriber(listRun, id, person), side: 'remote' as const, fault, version }]
  })
  await noteRefusals(run, refusals)
}

/** Milliseconds after which an import of the remote is given up in which nothing happens. */
const maxStandstill = 30 * 60_000

/** Waits until an import of the remote has ended. @throws RemoteFault where it ended otherwise than by finishing, or stands still */
async function ending({ run }: ListRun, id: number): Promise<SubscriberImport> {
  let last = ''
  let movedAt = performance.now()
  for (let wait = looks.first; ; wait = Math.min(looks.longest, wait * looks.growth)) {
    await pause(wait, undefined, { signal: run.signal })
    const { data } = await run.api.get<SubscriberImport>(
      `/subscriber_imports/${id}`,
      answers.subscriberImport
    )
    if (data.state === 'finished') return data
    if (data.state === 'paused') {
      throw new RemoteFault('refused', refusal('import_paused_there', { id }))
    }
    if (data.state === 'failed' || data.state === 'cancelled') {
      const fault = data.error_message ? shortened(data.error_message) : `it was ${data.state}`
      throw new RemoteFault('refused', refusal('import_unfinished_there', { id, fault }))
    }
    const state = JSON.stringify([data.state, data.stats])
    if (state !== last) movedAt = performance.now()
    last = state
    if (performance.now() - movedAt > maxStandstill) {
      throw new RemoteFault('refused', refusal('import_stands_still_there', { id }))
    }
  }
}

/** Bytes of a log of an import: of each row, it and the reason why it failed. */
const maxLog = 64 * 1024 * 1024

/**
 * Returns why rows failed, by email.
 * @param sent the rows to look for; other lines of the log are skipped
 */
async function failedRows(
  { run }: ListRun,
  { id, stats }: SubscriberImport,
  sent: ReadonlySet<string>
): Promise<Map<string, string>> {
  if (stats.subscribers.failed === 0) return new Map()
  return run.api.readText(`/subscriber_imports/${id}/logs/failed`, maxLog, () => {
    const reasons = new Map<string, string>()
    const reader = new CsvReader({ separator: ',', enclosure: '"' }, (fields) => {
      const [email = ''] = fields
      // The line number refers to the sent file, which the user never sees.
      if (sent.has(email)) reasons.set(email, shortened((fields.at(-1) ?? '').replace(/^line \d+: /, '')))
    })
    return {
      push: (text) => reader.push(text),
      end: () => {
        reader.end()
        return reasons
      }
    }
  })
}

/** Returns a test for subscribers that an import added: all that did not fail, or those listed in its log. */
async function addedTest(
  { run }: ListRun,
  { id, stats }: SubscriberImport,
  people: number,
  sent: ReadonlySet<string>
): Promise<(email: string) => boolean> {
  const { added, failed } = stats.subscribers
  if (added + failed === people) return () => true
  if (added === 0) return () => false
  try {
    const emails = await run.api.readText(`/subscriber_imports/${id}/logs/added`, maxLog, () =>
      addedReader(sent)
    )
    return (email) => emails.has(email)
  } catch (error) {
    // Without the log the result is unknown; the next comparison of all subscribers finds out.
    if (!isFault(error, 'not_found')) throw error
    return () => false
  }
}

const maxLine = 10_000

function addedReader(sent: ReadonlySet<string>): { push: (text: string) => void; end: () => Set<string> } {
  const emails = new Set<string>()
  let unread = ''
  const take = (line: string): void => {
    if (sent.has(line.trim())) emails.add(line.trim())
  }
  return {
    push: (text) => {
      const lines = (unread + text).split('\n')
      unread = (lines.pop() ?? '').slice(-maxLine)
      for (const line of lines) take(line)
    },
    end: () => {
      take(unread)
      return emails
    }
  }
}

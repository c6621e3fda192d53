import { setTimeout as pause } from 'node:timers/promises'
import { joinCheckboxes } from '../../api/custom-fields/rules.ts'
import type { SubscriberImport } from '../../api/subscriber-imports/schema.ts'
import { CsvReader } from '../../csv/csv-reader.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import type { AgreedRow } from '../commands.ts'
import { isFault, RemoteFault } from '../remote-fault.ts'
import { noteRefusals, refusalKey, versionOf } from '../run-context.ts'
import { type Agreed, agreedOn, hashOf, packAgreed } from './agreed.ts'
import { countSubscribers, type ListRun, localPeople, namedSubscriber } from './list-run.ts'
import { type Common, isoTime, type Person, slotOf, slots, type Value } from './person.ts'

/** Bytes of one import, of which 10 million are allowed: what is under way of it has to be kept. */
const pieceLength = 6_000_000
/** Imports of the remote that are under way at once: while one is carried out the next is written and sent. */
const atOnce = 2
/** Waits between two looks at an import, in milliseconds: short at first, since most are. */
const looks = { first: 50, longest: 1000 }
/** Agreements that one command notes. */
const notedAtOnce = 500

const format = { csv_field_separator: ',', csv_field_enclosure: '"' }
const writeCsv = csvWriter(format)

/** Somebody whom the remote does not have yet. */
export interface NewPerson {
  id: number
  person: Person
}

/**
 * Adds people to the list of the remote by its own imports, which leave alone whoever is there already: so one that was cut off, or
 * sent twice, doubles nothing.
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
    for await (const piece of piecesOf(people, columns)) {
      if (underWay.length === atOnce) await settleOne()
      const sent = importPiece(listRun, columns, piece)
      // What it fails of is told where it is waited for.
      sent.catch(() => undefined)
      underWay.push(sent)
    }
    while (underWay.length > 0) await settleOne()
  } finally {
    await Promise.allSettled(underWay)
  }
}

/** What both have once somebody was imported: files cannot say that somebody confirmed, so that is a change that follows. */
function agreedAfterImport(person: Person): Agreed {
  const agreed = agreedOn(person)
  if (agreed.has(slots.confirmed)) agreed.set(slots.confirmed, hashOf(false))
  return agreed
}

interface Column {
  name: string
  cell: (person: Person) => string
}

function columnsOf({ fields, hasFormat }: Common): Column[] {
  const text = (slot: number) => (person: Person) => textOf(person.get(slot))
  return [
    { name: 'email', cell: text(slots.email) },
    { name: 'status', cell: text(slots.status) },
    {
      name: 'subscribe_time',
      cell: (person) => {
        const seconds = person.get(slots.subscribe_time)
        return typeof seconds === 'number' ? isoTime(seconds) : ''
      }
    },
    { name: 'subscribe_ip', cell: text(slots.subscribe_ip) },
    ...(hasFormat
      ? [
          {
            name: 'email_format',
            // Files call it text, and everything else plaintext.
            cell: (person: Person) => textOf(person.get(slots.email_format)).replace('plaintext', 'text')
          }
        ]
      : []),
    ...fields.map(({ field, theirName }) => ({
      name: theirName,
      // A day needs a year to be one of the forms that files may hold.
      cell: (person: Person) =>
        field.type === 'day_of_year' && person.has(slotOf(field))
          ? `2000-${textOf(person.get(slotOf(field)))}`
          : textOf(person.get(slotOf(field)))
    }))
  ]
}

function textOf(value: Value | undefined): string {
  if (value === undefined) return ''
  return Array.isArray(value) ? joinCheckboxes(value) : String(value)
}

/** What is kept of somebody while an import is under way: not the values, of which there are too many. */
interface SentPerson {
  id: number
  email: string
  agreed: Uint8Array
}

interface Piece {
  content: string
  people: SentPerson[]
}

async function* piecesOf(people: AsyncIterable<NewPerson>, columns: Column[]): AsyncGenerator<Piece> {
  let lines: string[] = []
  let length = 0
  let inPiece: SentPerson[] = []
  const piece = (): Piece => ({ content: lines.join(''), people: inPiece })
  for await (const each of people) {
    const line = writeCsv([columns.map(({ cell }) => cell(each.person))])
    lines.push(line)
    inPiece.push({
      id: each.id,
      email: String(each.person.get(slots.email)),
      agreed: packAgreed(agreedAfterImport(each.person))
    })
    length += Buffer.byteLength(line)
    if (length < pieceLength) continue
    yield piece()
    lines = []
    inPiece = []
    length = 0
  }
  if (inPiece.length > 0) yield piece()
}

/** @returns how many people were in it */
async function importPiece(listRun: ListRun, columns: Column[], { content, people }: Piece): Promise<number> {
  const { run, theirListId, syncListId } = listRun
  const { data } = await run.api.post<SubscriberImport>(`/mailing_lists/${theirListId}/subscriber_imports`, {
    subscriber_import: {
      overwrite: false,
      column_mapping: columns.map(({ name }) => name),
      file_source: { type: 'json', content },
      file_format: { csv_has_headers: false, character_set: 'UTF-8', date_format: 'mdy' }
    }
  })
  const ended = await ending(listRun, data.id)
  const failed = await failedRows(listRun, ended)
  const isThere = await addedTest(listRun, ended, people.length)
  const rows = people
    .filter(({ email }) => !failed.has(email) && isThere(email))
    .map(({ id, agreed }): AgreedRow => [id, null, agreed])
  for (let at = 0; at < rows.length; at += notedAtOnce) {
    await run.client.run('syncs.noteSubscribers', { syncListId, rows: rows.slice(at, at + notedAtOnce) })
  }
  const refused = people.filter(({ email }) => failed.has(email))
  for (let at = 0; at < refused.length; at += notedAtOnce) {
    await noteFailed(listRun, refused.slice(at, at + notedAtOnce), failed)
  }
  countSubscribers(listRun, 'pushed', rows.length)
  await forgetTaken(listRun, rows)
  // Who they are there, also of those whom it left alone, a look at all of them tells.
  listRun.needsScan = true
  return people.length
}

/** Whoever was refused once and is taken now is not listed any more. */
async function forgetTaken({ run }: ListRun, rows: readonly AgreedRow[]): Promise<void> {
  const taken = rows
    .map(([id]) => id)
    .filter((id) => run.refused.delete(refusalKey('remote', { kind: 'subscriber', recordId: id })))
  for (let at = 0; at < taken.length; at += notedAtOnce) {
    await run.client.run('syncs.forgetRefusals', {
      remoteId: run.remoteId,
      side: 'remote',
      kind: 'subscriber',
      recordIds: taken.slice(at, at + notedAtOnce)
    })
  }
}

/** Notes who failed in an import, with the reason of each. */
async function noteFailed(
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
    const message = reasons.get(email) ?? ''
    return [{ ...namedSubscriber(listRun, id, person), side: 'remote' as const, message, version }]
  })
  await noteRefusals(run, refusals)
}

/** Waits until an import of the remote has ended. @throws RemoteFault where it ended otherwise than by finishing */
async function ending({ run }: ListRun, id: number): Promise<SubscriberImport> {
  for (let wait = looks.first; ; wait = Math.min(looks.longest, wait * 1.5)) {
    await pause(wait, undefined, { signal: run.signal })
    const { data } = await run.api.get<SubscriberImport>(`/subscriber_imports/${id}`)
    if (data.state === 'finished') return data
    if (data.state === 'paused') {
      throw new RemoteFault('refused', `Import ${id} was paused on the server. Continue or cancel it there`)
    }
    if (data.state === 'failed' || data.state === 'cancelled') {
      const why = data.error_message ?? `it was ${data.state}`
      throw new RemoteFault('refused', `Import ${id} on the server did not finish: ${why}`)
    }
  }
}

/** Why rows failed, by the email in each. */
async function failedRows({ run }: ListRun, { id, stats }: SubscriberImport): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  if (stats.subscribers.failed === 0) return reasons
  const reader = new CsvReader({ separator: ',', enclosure: '"' }, (fields) => {
    reasons.set(fields[0] ?? '', fields.at(-1) ?? '')
  })
  reader.push(await run.api.getText(`/subscriber_imports/${id}/logs/failed`))
  reader.end()
  return reasons
}

/** Tells whom an import added: all that did not fail, or those whom its log names. */
async function addedTest(
  { run }: ListRun,
  { id, stats }: SubscriberImport,
  sent: number
): Promise<(email: string) => boolean> {
  const { added, failed } = stats.subscribers
  if (added + failed === sent) return () => true
  if (added === 0) return () => false
  try {
    const log = await run.api.getText(`/subscriber_imports/${id}/logs/added`)
    const emails = new Set(log.split('\n').map((line) => line.trim()))
    return (email) => emails.has(email)
  } catch (error) {
    // Without the log it is not known, and a look at all of them tells.
    if (!isFault(error, 'not_found')) throw error
    return () => false
  }
}

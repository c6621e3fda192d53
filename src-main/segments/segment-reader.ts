import type { SegmentCounts, SegmentPage, SegmentScope } from '../api/segments/queries.ts'
import type { SelectedPart } from '../api/bulk-actions/selected-ids.ts'
import { listIdsOf } from '../api/segments/conditions.ts'
import type { SettledCondition } from '../api/segments/settled.ts'
import type { SubscriberRow } from '../api/subscribers/queries.ts'
import type { Change } from '../database/command.ts'
import type { Writer } from '../database/writer.ts'
import { AskedThread } from '../base/asked-thread.ts'
import type { Worker } from 'node:worker_threads'
import { messageOf } from '../base/errors.ts'
import { endThread, startThread } from '../base/threads.ts'
import type { ScanThreadData } from './scan-thread.ts'
import type { ScannerWanted } from './second-scanner.ts'
import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import type { LostValues } from '../api/custom-fields/values-in-use.ts'
import type { Growth } from '../api/subscriber-counts/days.ts'
import type { Choice } from './chosen.ts'
import type { ListDomains } from './domains.ts'
import { mayBeReused, type Timed } from './reuse.ts'
import type { Found, SearchQuestion } from './search.ts'
import type { Dependency } from '../http/dependencies.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    segments: SegmentReader
  }
}

export type SegmentQuestion =
  | { ask: 'count'; scope: SegmentScope }
  | { ask: 'page'; scope: SegmentScope; page: SegmentPage }
  | { ask: 'choice'; choice: Choice; position: number; limit: number }
  | { ask: 'selection'; choice: Choice; narrowing: Narrowing }
  | { ask: 'domains'; mailingListId: number }
  | { ask: 'growth'; organization: Organization; now: number }
  | { ask: 'search'; sought: SearchQuestion }
  | { ask: 'dependencies'; field: FieldDefinition }
  | { ask: 'use'; mailingListIds: number[]; fieldId: number; values: LostValues }

interface Organization {
  id: number
  timeZone: string
}

/** Some of the chosen subscribers, and how many they are in all. */
export interface ChoicePage {
  rows: SubscriberRow[]
  total: number
  /** True if something changed since they were found. */
  isStale: boolean
}

/** The part of a result that the user selected. */
export interface Narrowing {
  /** These ids alone; null = all. */
  only: number[] | null
  /** All but these ids. */
  except: number[]
}

/** The selected subscribers at this moment. */
export interface FoundSelection {
  subscribers: number
  /** The number of found subscribers that are excluded. */
  leftOut: number
  statuses: SegmentCounts
  parts: SelectedPart[]
}

interface KeptCount extends Timed {
  count: Promise<SegmentCounts>
  lists: Set<number>
  /** True if one of the lists changed since the query began. */
  isStale: boolean
}

const maxKept = 200

/** Answers who is in a segment, from a thread of its own that is started with the first question. */
export class SegmentReader {
  readonly #thread: AskedThread<SegmentQuestion, unknown>
  #scanner: Worker | null = null
  #isClosed = false
  readonly #counts = new Map<string, KeptCount>()

  constructor(databasePath: string, writer: Pick<Writer, 'onChanges'>) {
    this.#thread = new AskedThread(() => {
      const thread = startThread(import.meta.url, 'segment-thread', { data: databasePath, name: 'segments' })
      thread.on('message', (message: object) => {
        if ('scannerPort' in message) this.#startScanner(databasePath, message as ScannerWanted)
      })
      return thread
    })
    writer.onChanges((changes) => this.#noteChanges(changes))
  }

  page(scope: SegmentScope, page: SegmentPage): Promise<SubscriberRow[]> {
    return this.#thread.ask({ ask: 'page', scope, page }) as Promise<SubscriberRow[]>
  }

  /**
   * Counts a segment. Exact, except while data changes and counting takes over 50 ms: then the answer may be
   * as old as ten times that duration.
   */
  count(scope: SegmentScope): Promise<SegmentCounts> {
    const key = JSON.stringify([scope.mailingListId, scope.clause])
    const kept = this.#counts.get(key)
    if (kept && (!kept.isStale || mayBeReused(kept))) return kept.count
    const counting: KeptCount = {
      count: this.#thread.ask({ ask: 'count', scope }) as Promise<SegmentCounts>,
      beganAt: performance.now(),
      took: null,
      lists: new Set([scope.mailingListId, ...listIdsOf(scope.clause)]),
      isStale: dependsOnMore(scope.clause)
    }
    this.#counts.delete(key)
    this.#counts.set(key, counting)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > maxKept && oldest !== undefined) this.#counts.delete(oldest)
    counting.count.then(
      () => (counting.took = performance.now() - counting.beganAt),
      () => this.#counts.delete(key)
    )
    return counting.count
  }

  /**
   * Returns selected subscribers from a position (0 = first), and their number. As exact as {@link count}.
   * @param signal aborted when the caller is gone
   */
  choice(
    choice: Choice,
    { position, limit }: { position: number; limit: number },
    signal: AbortSignal
  ): Promise<ChoicePage> {
    return this.#thread.ask({ ask: 'choice', choice, position, limit }, signal) as Promise<ChoicePage>
  }

  selection(choice: Choice, narrowing: Narrowing, signal: AbortSignal): Promise<FoundSelection> {
    return this.#thread.ask({ ask: 'selection', choice, narrowing }, signal) as Promise<FoundSelection>
  }

  domains(mailingListId: number, signal: AbortSignal): Promise<ListDomains> {
    return this.#thread.ask({ ask: 'domains', mailingListId }, signal) as Promise<ListDomains>
  }

  /** The growth of an organization's lists until a time (UNIX milliseconds). */
  growth(organization: Organization, now: number): Promise<Growth> {
    return this.#thread.ask({ ask: 'growth', organization, now }) as Promise<Growth>
  }

  /**
   * Finds records whose name or address contains a text.
   * @param signal aborted when the caller is gone
   */
  search(sought: SearchQuestion, signal: AbortSignal): Promise<Found> {
    return this.#thread.ask({ ask: 'search', sought }, signal) as Promise<Found>
  }

  isInUse(mailingListIds: number[], fieldId: number, values: LostValues): Promise<boolean> {
    return this.#thread.ask({ ask: 'use', mailingListIds, fieldId, values }) as Promise<boolean>
  }

  dependenciesOf(field: FieldDefinition): Promise<Dependency[]> {
    return this.#thread.ask({ ask: 'dependencies', field }) as Promise<Dependency[]>
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread.close()
    if (this.#scanner) await endThread(this.#scanner)
  }

  #startScanner(databasePath: string, { scannerPort: port }: ScannerWanted): void {
    if (this.#isClosed) return port.close()
    const data: ScanThreadData = { databasePath, port }
    this.#scanner = startThread(import.meta.url, 'scan-thread', { data, ports: [port], name: 'scan' })
    this.#scanner.on('error', (error) => {
      // The thread of segments scans alone then.
      process.stderr.write(`The second scan of lists failed: ${messageOf(error)}\n`)
    })
  }

  #noteChanges(changes: Change[]): void {
    const changed = new Set(
      changes
        .filter(({ entity }) => entity === 'subscriber' || entity === 'mailing_list')
        .map(({ mailingListId }) => mailingListId)
    )
    for (const kept of this.#counts.values()) {
      if ([...kept.lists].some((id) => changed.has(id))) kept.isStale = true
    }
  }
}

/** True if a segment depends on data whose changes are not reported. */
function dependsOnMore(clause: readonly SettledCondition[]): boolean {
  return clause.some((each) => {
    if (each.type === 'group') return dependsOnMore(each.conditions)
    return each.type === 'suppressed' || each.type === 'campaign' || each.type === 'reaction_since'
  })
}

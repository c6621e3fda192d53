import type { Worker } from 'node:worker_threads'
import { messageOf, notFound } from '../../base/errors.ts'
import { englishOf, type Refusal } from '../../base/refusal.ts'
import { startThread } from '../../base/threads.ts'
import type { Rehearsal, RehearsalReport } from './schema.ts'

export interface RehearsalTask {
  databasePath: string
  campaignId: number
  linkBase: string
}

/** What a rehearsal tells; a report of null = it was stopped. */
export type RehearsalNews = { checked: number } | { report: RehearsalReport | null } | { fault: Refusal }

interface Entry {
  thread: Worker
  rehearsal: Rehearsal
  ended: Promise<void>
}

/** The rehearsals of this process, by campaign. One takes a core, so a new one ends those before it. */
export class Rehearsals {
  readonly #databasePath: string
  readonly #entries = new Map<number, Entry>()
  #last: Promise<void> = Promise.resolve()

  constructor(databasePath: string) {
    this.#databasePath = databasePath
  }

  /** @param linkBase for links without a URL domain */
  start(campaignId: number, linkBase: string): Promise<Rehearsal> {
    // One after the other, so that none is forgotten while it runs.
    const started = this.#last.then(() => this.#start(campaignId, linkBase))
    this.#last = started.then(
      () => undefined,
      () => undefined
    )
    return started
  }

  async #start(campaignId: number, linkBase: string): Promise<Rehearsal> {
    await this.close()
    const task: RehearsalTask = { databasePath: this.#databasePath, campaignId, linkBase }
    const thread = startThread(import.meta.url, 'rehearsal-thread', { data: task, name: 'rehearsal' })
    const rehearsal: Rehearsal = { state: 'running', checked: 0, report: null, error_message: null }
    thread.on('message', (news: RehearsalNews) => record(rehearsal, news))
    thread.on('error', (error) => {
      Object.assign(rehearsal, { state: 'failed', error_message: messageOf(error) })
    })
    const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
    void ended.then(() => {
      if (rehearsal.state === 'running') rehearsal.state = 'failed'
    })
    this.#entries.set(campaignId, { thread, rehearsal, ended })
    return rehearsal
  }

  /** @throws ApiError not_found if there was none since the application started */
  get(campaignId: number): Rehearsal {
    const entry = this.#entries.get(campaignId)
    if (!entry) throw notFound('rehearsal of the campaign', campaignId)
    return entry.rehearsal
  }

  async cancel(campaignId: number): Promise<Rehearsal> {
    const rehearsal = this.get(campaignId)
    await this.close()
    return rehearsal
  }

  /** Ends those that run. */
  async close(): Promise<void> {
    const running = [...this.#entries.values()].filter(({ rehearsal }) => rehearsal.state === 'running')
    for (const { thread, rehearsal } of running) {
      rehearsal.state = 'cancelled'
      thread.postMessage('stop')
    }
    await Promise.all(running.map(({ ended }) => ended))
  }
}

function record(rehearsal: Rehearsal, news: RehearsalNews): void {
  if ('checked' in news) rehearsal.checked = news.checked
  else if ('fault' in news) {
    rehearsal.state = 'failed'
    rehearsal.error_message = englishOf(news.fault)
  } else if (news.report) {
    const { report } = news
    Object.assign(rehearsal, { state: 'finished', report, checked: report.messages + report.suppressed })
  }
}

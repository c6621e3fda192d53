import { AskedThread } from '../../base/asked-thread.ts'
import { startThread } from '../../base/threads.ts'
import type { Judgement } from './judgement.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    judge: Judge
  }
}

export interface JudgedOrganization {
  databasePath: string
  organizationId: number
}

/** Judges the stored reports of an organization again, outside of the API's thread: there may be thousands. */
export class Judge {
  readonly #databasePath: string
  readonly #thread = new AskedThread<JudgedOrganization, Judgement>(() =>
    startThread(import.meta.url, 'judging-thread', { name: 'bounces of before' })
  )

  constructor(databasePath: string) {
    this.#databasePath = databasePath
  }

  judge(organizationId: number): Promise<Judgement> {
    return this.#thread.ask({ databasePath: this.#databasePath, organizationId })
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import { handOver } from '../hand-over.ts'
import { linksOf } from '../links.ts'
import { carriedFiles, MessageComposer } from '../message.ts'
import { autoresponderOutboxPath, openOutbox } from '../outbox.ts'
import { SmtpRun } from '../smtp/smtp-run.ts'
import type { AutoresponderPlan } from './plan.ts'
import { dueReactions } from './queries.ts'
import { AutoresponderWork, reactionMail } from './work.ts'

/** Messages that are written to the outbox at once. */
const writtenAtOnce = 100

/** Sends the messages of an autoresponder that are due. */
export class AutoresponderDelivery {
  readonly #job: RunningJob<DeliveryData>
  readonly #reader: Kysely<Schema>

  constructor(job: RunningJob<DeliveryData>, reader: Kysely<Schema>) {
    this.#job = job
    this.#reader = reader
  }

  async run(): Promise<JobOutcome> {
    const plan = await this.#begin()
    if (!plan) return { is: 'stopped' }
    const fault = await handOver({ reader: this.#reader, ...this.#job, ...this.#job.data }, plan.message)
    if (fault) return this.#job.signal.aborted ? { is: 'stopped' } : { is: 'held', fault }
    const composer = new MessageComposer(plan.message, await carriedFiles(this.#reader, plan.message))
    if (!plan.route) return this.#write(plan, composer)
    const { dataDirectory, signal, client, data } = this.#job
    const work = new AutoresponderWork(this.#job, this.#reader, plan, plan.route, composer)
    return new SmtpRun(work, this.#reader, { dataDirectory, signal, client, ...data }).run()
  }

  /** @returns the plan, with the links of its content; null when there is nothing to send (any more) */
  async #begin(): Promise<AutoresponderPlan | null> {
    const { id, client, data } = this.#job
    const input = { id, linkBase: data.linkBase }
    const plan = await client.run('autoresponderDeliveries.begin', input)
    if (!plan) return null
    const [content] = plan.message.contents
    const known = new Set(content.links.map(({ url }) => url))
    const urls = linksOf(content).filter((url) => !known.has(url))
    if (urls.length === 0) return plan
    await client.run('autoresponderDeliveries.recordLinks', { sliceId: plan.sliceId, urls })
    return client.run('autoresponderDeliveries.begin', input)
  }

  /** Appends the messages to the autoresponder's outbox; the position is stored with them, so that an interruption writes none twice. */
  async #write(plan: AutoresponderPlan, composer: MessageComposer): Promise<JobOutcome> {
    const { id, client, dataDirectory, signal } = this.#job
    const now = Date.now()
    const transport = openOutbox(autoresponderOutboxPath(dataDirectory, id), plan.position)
    try {
      for (;;) {
        if (signal.aborted) return { is: 'stopped' }
        const due = await dueReactions(this.#reader, id, plan, { now, afterId: 0, limit: writtenAtOnce })
        if (due.length === 0) return { is: 'finished' }
        const mails = due.flatMap(({ recipient, replacements }) =>
          recipient ? [reactionMail(plan, recipient, replacements)] : []
        )
        const messages = mails.map(({ contentId, addressee }) => composer.compose(contentId, addressee))
        const position = messages.length > 0 ? transport.send(messages) : plan.position
        const goesOn = await client.run('autoresponderDeliveries.recordWritten', {
          id,
          reactionIds: due.map((reaction) => reaction.id),
          written: mails.map(({ addressee }, index) => ({
            subscriberId: addressee.id,
            format: messages[index]?.format ?? 'both'
          })),
          position
        })
        if (!goesOn) {
          transport.takeBack(plan.position)
          return { is: 'stopped' }
        }
        plan.position = position
      }
    } finally {
      transport.close()
    }
  }
}

import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import type { MessageComposer } from '../message.ts'
import type { MessagePlan, SmtpRoute } from '../plan.ts'

/** What the messages of any queue have in common, such as those of an autoresponder or a form. */
export class QueueWork<Plan extends { message: MessagePlan; sliceId: number }> {
  readonly campaignId = null
  readonly name: string
  readonly sender: string
  readonly route: SmtpRoute
  readonly composer: MessageComposer
  readonly sliceIds: readonly number[]
  readonly speed = 0
  readonly endsBeforeRetries = true
  protected readonly job: RunningJob<DeliveryData>
  protected readonly reader: Kysely<Schema>
  protected readonly plan: Plan

  /** @param kind names its flight log, together with the job's id */
  constructor(
    kind: string,
    job: RunningJob<DeliveryData>,
    reader: Kysely<Schema>,
    plan: Plan,
    route: SmtpRoute,
    composer: MessageComposer
  ) {
    this.job = job
    this.reader = reader
    this.plan = plan
    this.name = `${kind}-${job.id}`
    this.sender = plan.message.sender.from_email
    this.route = route
    this.composer = composer
    this.sliceIds = [plan.sliceId]
  }

  claimed(): void {
    // The queue is shorter: the next ones are read from its beginning.
  }
}

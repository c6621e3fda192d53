import { refusal } from '../base/refusal.ts'
import { Delivery } from './delivery.ts'
import { runDeliveries } from './run-deliveries.ts'

// Sends one campaign.
runDeliveries(
  (job, reader) => new Delivery(job, reader).run(),
  (fault) => refusal('then_continue_campaign', { fault })
)

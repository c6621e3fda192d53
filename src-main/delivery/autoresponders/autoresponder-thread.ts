import { runDeliveries } from '../run-deliveries.ts'
import { AutoresponderDelivery } from './delivery.ts'

// Sends the due messages of one autoresponder.
runDeliveries(
  (job, reader) => new AutoresponderDelivery(job, reader).run(),
  (fault) => fault
)

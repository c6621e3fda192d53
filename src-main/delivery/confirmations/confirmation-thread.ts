import { runDeliveries } from '../run-deliveries.ts'
import { sendConfirmations } from './delivery.ts'

// Sends the confirmation messages of one form.
runDeliveries(sendConfirmations, (fault) => fault)

import { OrganizationParams } from '../../http/schema.ts'
import { envelope } from '../../http/envelope.ts'
import { SubscriberCounts } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const subscriberCountEndpoints = endpoints('Subscriber counts', {
  'GET /subscriber_counts': {
    access: 'signed_in',
    summary: 'Count the subscribers per status and list',
    answer: envelope(SubscriberCounts)
  },

  'GET /organization/:organization_id/subscriber_counts': {
    access: 'system_admin',
    summary: 'Count the subscribers of an organization',
    params: OrganizationParams,
    answer: envelope(SubscriberCounts)
  }
})

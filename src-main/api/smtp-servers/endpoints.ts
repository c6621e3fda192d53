import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import {
  DeliveryOptionChanges,
  DeliveryOptions,
  DeliveryRoute,
  DeliveryRouteInput,
  SmtpServer,
  SmtpServerChanges,
  SmtpServerInput
} from './schema.ts'

/** Extensions of the API: where messages go (docs/api.md, "Sending"). */
export const smtpServerEndpoints = endpoints('Sending', {
  'GET /smtp_servers': {
    access: 'signed_in',
    summary: 'List the SMTP servers',
    answer: envelope(Type.Array(SmtpServer))
  },

  'GET /smtp_servers/:id': {
    access: 'signed_in',
    summary: 'Read an SMTP server',
    params: IdParams,
    answer: envelope(SmtpServer)
  },

  'POST /smtp_servers': {
    joinsFaults: true,
    access: 'organization_admin',
    summary: 'Set up an SMTP server',
    body: wrapped('smtp_server', SmtpServerInput),
    answer: envelope(SmtpServer)
  },

  'PUT /smtp_servers/:id': {
    joinsFaults: true,
    access: 'organization_admin',
    summary: 'Change an SMTP server',
    params: IdParams,
    body: wrapped('smtp_server', SmtpServerChanges),
    answer: envelope(SmtpServer)
  },

  'DELETE /smtp_servers/:id': {
    access: 'organization_admin',
    summary: 'Delete an SMTP server',
    params: IdParams,
    answer: envelope(Type.Null())
  },

  'GET /delivery_routes': {
    access: 'signed_in',
    summary: 'List where the messages of each virtual MTA go',
    answer: envelope(Type.Array(DeliveryRoute))
  },

  'PUT /delivery_routes/:id': {
    access: 'organization_admin',
    summary: 'Choose where the messages of a virtual MTA go; 0 is the system default route',
    params: Type.Object({ id: Type.Integer({ minimum: 0 }) }),
    body: wrapped('delivery_route', DeliveryRouteInput),
    answer: envelope(DeliveryRoute)
  },

  'GET /delivery_options': {
    access: 'signed_in',
    summary: 'Read what holds for all sending of the organization',
    answer: envelope(DeliveryOptions)
  },

  'PUT /delivery_options': {
    access: 'organization_admin',
    summary: 'Change what holds for all sending of the organization',
    body: wrapped('delivery_options', DeliveryOptionChanges),
    answer: envelope(DeliveryOptions)
  }
})

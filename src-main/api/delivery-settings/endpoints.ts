import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import {
  BounceEmail,
  BounceEmailChanges,
  BounceEmailInput,
  UrlDomain,
  UrlDomainChanges,
  UrlDomainInput,
  VirtualMta,
  VirtualMtaInput
} from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const BounceEmailParams = Type.Object({ id: Type.String({ minLength: 1 }) })
const nothing = envelope(Type.Null())

export const deliverySettingEndpoints = endpoints('Delivery settings', {
  'GET /virtual_mtas': {
    access: 'signed_in',
    summary: 'List the virtual MTAs',
    answer: envelope(Type.Array(VirtualMta))
  },

  'POST /virtual_mtas': {
    access: 'organization_admin',
    summary: 'Define a virtual MTA',
    body: wrapped('virtual_mta', VirtualMtaInput),
    answer: envelope(VirtualMta)
  },

  'DELETE /virtual_mtas/:id': {
    access: 'organization_admin',
    summary: 'Delete a virtual MTA',
    params: IdParams,
    answer: nothing
  },

  'GET /url_domains': {
    access: 'signed_in',
    summary: 'List the URL domains',
    answer: envelope(Type.Array(UrlDomain))
  },

  'POST /url_domains': {
    access: 'organization_admin',
    summary: 'Define a URL domain, or a gate (an extension)',
    body: wrapped('url_domain', UrlDomainInput),
    answer: envelope(UrlDomain)
  },

  'PUT /url_domains/:id': {
    access: 'organization_admin',
    summary: 'Change the address or the key of a gate (an extension)',
    params: IdParams,
    body: wrapped('url_domain', UrlDomainChanges),
    answer: envelope(UrlDomain)
  },

  'DELETE /url_domains/:id': {
    access: 'organization_admin',
    summary: 'Delete a URL domain',
    params: IdParams,
    answer: nothing
  },

  'GET /bounce_emails': {
    access: 'signed_in',
    summary: 'List the bounce emails',
    answer: envelope(Type.Array(BounceEmail))
  },

  'POST /bounce_emails': {
    access: 'organization_admin',
    summary: 'Define a bounce email',
    body: wrapped('bounce_email', BounceEmailInput),
    answer: envelope(BounceEmail)
  },

  'PUT /bounce_emails/:id': {
    access: 'organization_admin',
    summary: 'Say whether a bounce email takes mail to user+anything (an extension)',
    params: BounceEmailParams,
    body: wrapped('bounce_email', BounceEmailChanges),
    answer: envelope(BounceEmail)
  },

  'DELETE /bounce_emails/:id': {
    access: 'organization_admin',
    summary: 'Delete a bounce email',
    params: BounceEmailParams,
    answer: nothing
  }
})

import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Filled, IdParams } from '../../http/schema.ts'
import { maxAttachmentBytes, maxNameLength } from './rules.ts'
import { Attachment } from './schema.ts'

const OneParams = Type.Object({ ...IdParams.properties, attachment_id: Type.Integer({ minimum: 1 }) })

const listing = {
  access: 'signed_in',
  summary: 'List the files that messages carry (an extension)',
  params: IdParams,
  answer: envelope(Type.Array(Attachment))
} as const
const reading = {
  access: 'signed_in',
  summary: 'Download a file that messages carry (an extension)',
  params: OneParams
} as const
const adding = {
  summary: 'Add a file, which is the body of the request (an extension)',
  params: IdParams,
  query: Type.Object({ name: Filled({ maxLength: maxNameLength }) }),
  body: Type.Unsafe<Blob | Uint8Array>({}),
  bodyLimit: maxAttachmentBytes,
  answer: envelope(Attachment)
} as const
const deleting = {
  summary: 'Remove a file (an extension)',
  params: OneParams,
  answer: envelope(Type.Null())
} as const

export const attachmentEndpoints = endpoints('Attachments', {
  'GET /campaigns/:id/attachments': listing,
  'GET /campaigns/:id/attachments/:attachment_id': reading,
  'POST /campaigns/:id/attachments': { ...adding, access: 'campaign.update' },
  'DELETE /campaigns/:id/attachments/:attachment_id': { ...deleting, access: 'campaign.update' },
  'GET /templates/:id/attachments': listing,
  'GET /templates/:id/attachments/:attachment_id': reading,
  'POST /templates/:id/attachments': { ...adding, access: 'campaign/template.update' },
  'DELETE /templates/:id/attachments/:attachment_id': { ...deleting, access: 'campaign/template.update' }
})

import type { attachmentEndpoints } from '../../src-main/api/attachments/endpoints.ts'
import type { Attachment } from '../../src-main/api/attachments/schema.ts'
import { maxAttachmentBytes, tooLarge } from '../../src-main/api/attachments/rules.ts'
import { apiCalls, ApiFailure } from './client.ts'

export type { Attachment }

/** What carries attachments. */
export interface Carrier {
  kind: 'campaigns' | 'templates'
  id: number
}

const { call, address } = apiCalls<typeof attachmentEndpoints>()

export function fetchAttachments({ kind, id }: Carrier): Promise<Attachment[]> {
  return call(`GET /${kind}/:id/attachments`, { params: { id } })
}

/** @throws ApiFailure */
export async function addAttachment({ kind, id }: Carrier, file: File): Promise<Attachment> {
  // The application ends a request that is larger without reading the name.
  if (file.size > maxAttachmentBytes) {
    throw new ApiFailure('validation_failed', [tooLarge(file.name, file.size)])
  }
  return call(`POST /${kind}/:id/attachments`, { params: { id }, query: { name: file.name }, body: file })
}

export async function deleteAttachment({ kind, id }: Carrier, attachmentId: number): Promise<void> {
  await call(`DELETE /${kind}/:id/attachments/:attachment_id`, {
    params: { id, attachment_id: attachmentId }
  })
}

/** The address of the file. */
export function attachmentAddress({ kind, id }: Carrier, attachmentId: number): string {
  return address(`GET /${kind}/:id/attachments/:attachment_id`, {
    params: { id, attachment_id: attachmentId }
  })
}

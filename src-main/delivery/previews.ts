import { once } from 'node:events'
import { emailComplaint, isEmail } from '../api/subscribers/rules.ts'
import { Faults, validationFailed } from '../base/errors.ts'
import { refusal, refusalAt } from '../base/refusal.ts'
import type { PreviewInput } from './endpoints.ts'
import { startThread } from '../base/threads.ts'
import type { StoredValues } from '../api/custom-fields/rules.ts'
import type { MessagePlan } from './plan.ts'

export interface PreviewTask {
  dataDirectory: string
  message: MessagePlan
  recipients: string[]
  values: StoredValues
  splitByFormat: boolean
}

/**
 * Files each content for each address in the previews of the organization, filled with the preview values of the list.
 * @param message null when there is no content
 * @param previewValues JSON of the list's preview_custom_field_data
 * @throws ApiError validation_failed without content or with an invalid address
 */
export async function sendPreview(
  dataDirectory: string,
  message: MessagePlan | null,
  previewValues: string,
  { recipients, split_emails_by_format: splitByFormat }: PreviewInput
): Promise<void> {
  const faults = new Faults()
  for (const [index, address] of recipients.entries()) {
    if (!isEmail(address)) faults.add(refusalAt(`recipients.${index}`, emailComplaint(address)))
  }
  faults.throwIfAny()
  if (!message) throw validationFailed(refusal('no_content_to_send'))
  if (message.sender.from_email === '') throw validationFailed(refusal('blank', { field: 'from_email' }))
  const task: PreviewTask = {
    dataDirectory,
    message,
    recipients,
    values: JSON.parse(previewValues) as StoredValues,
    splitByFormat
  }
  const thread = startThread(import.meta.url, 'preview-thread', { data: task, name: 'preview' })
  await once(thread, 'exit')
}

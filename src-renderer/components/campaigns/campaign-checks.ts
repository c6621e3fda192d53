import { checkContent } from '../../../src-main/api/campaigns/rules.ts'
import { Faults } from '../../../src-main/base/errors.ts'
import type { ContentPreview } from '../../api/templates.ts'
import type { CampaignDraft } from './campaign-draft.ts'

/** What keeps a campaign from being sent, as the API would refuse it. */
export function blockersOf({ name, contents, sending }: CampaignDraft): string[] {
  const sentences: string[] = []
  if (name.trim() === '') sentences.push('name cannot be blank')
  if (sending.d_from_email.trim() === '') sentences.push('d_from_email cannot be blank')
  for (const [index, content] of contents.entries()) {
    const faults = new Faults()
    checkContent(content, index, faults)
    if (faults.refusal) sentences.push(...faults.refusal.message.split(', '))
  }
  return sentences
}

/** The forms in which somebody would get a message without a link to unsubscribe. */
export function formsWithoutLink(
  contents: CampaignDraft['contents'],
  previews: readonly ContentPreview[]
): ('html' | 'text')[] {
  return (['html', 'text'] as const).filter((form) =>
    contents.some(
      ({ format }, index) =>
        (format === 'both' || format === form) && previews[index]?.has_unsubscribe_link[form] === false
    )
  )
}

import { type ContentPart, partsLacking } from '../../../src-main/api/campaigns/rules.ts'
import type { ContentPreview } from '../../api/templates.ts'
import type { CampaignDraft } from './campaign-draft.ts'

/** What a campaign lacks to be sent: a name, a sender, or a part of one of its contents. */
export type Lack = { what: 'name' | 'sender' } | { what: ContentPart; content: string }

/** What keeps a campaign from being sent, whoever it is for. */
export function lacksOf({ name, contents, sending }: CampaignDraft): Lack[] {
  return [
    ...(name.trim() === '' ? [{ what: 'name' as const }] : []),
    ...(sending.d_from_email.trim() === '' ? [{ what: 'sender' as const }] : []),
    ...contents.flatMap((content) => partsLacking(content).map((what) => ({ what, content: content.name })))
  ]
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

/** Which of the texts that messages can begin with still stand in a content, as nobody wants to send them. */
export function samplesIn(contents: CampaignDraft['contents'], samples: readonly string[]): string[] {
  return samples.filter((sample) =>
    contents.some(({ format, html, text }) => (format === 'text' ? text : html).includes(sample))
  )
}

/** The buttons of contents that lead nowhere, by what they say. */
export function deadButtonsIn(contents: CampaignDraft['contents']): string[] {
  const parser = new DOMParser()
  return contents
    .filter(({ format }) => format !== 'text')
    .flatMap(({ html }) => [...parser.parseFromString(html, 'text/html').querySelectorAll('td.lw-button')])
    .filter((button) => !button.querySelector('a[href]'))
    .map((button) => (button.textContent ?? '').trim())
}

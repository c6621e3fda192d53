import { type ContentPart, partsLacking } from '../../src-main/api/campaigns/rules.ts'
import type { ContentPreview } from '../api/templates.ts'
import type { CampaignDraft } from './campaign-draft.ts'

/** The missing parts of a campaign that prevent sending: a name, a sender, the query of a Remote List, or a part of a content. */
export type Lack = { what: 'name' | 'sender' | 'query' } | { what: ContentPart; content: string }

/** Returns the parts that are missing whichever recipients are selected. */
export function lacksOf({ name, contents, sending, remoteSql }: CampaignDraft): Lack[] {
  return [
    ...(name.trim() === '' ? [{ what: 'name' as const }] : []),
    ...(sending.d_from_email.trim() === '' ? [{ what: 'sender' as const }] : []),
    ...(remoteSql?.trim() === '' ? [{ what: 'query' as const }] : []),
    ...contents.flatMap((content) => partsLacking(content).map((what) => ({ what, content: content.name })))
  ]
}

/** Returns the forms of the message that would lack an unsubscribe link. */
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

/** Returns the sample texts that are still in a content. */
export function samplesIn(
  contents: readonly Pick<CampaignDraft['contents'][number], 'format' | 'html' | 'text'>[],
  samples: readonly string[]
): string[] {
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

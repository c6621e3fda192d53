import type { listPagesEndpoints } from '../../src-main/api/list-pages/endpoints.ts'
import type { ListPages } from '../../src-main/api/list-pages/schema.ts'
import type {
  PreviewedFormPage,
  PreviewedPage,
  publicPageEndpoints,
  ShownForm
} from '../../src-main/workbench/public-pages/endpoints.ts'
import { apiCalls, windowCalls } from './client.ts'

export type { ListPages, PreviewedFormPage, PreviewedPage, ShownForm }

const pages = apiCalls<typeof listPagesEndpoints>()
const previews = windowCalls<typeof publicPageEndpoints>()

export function fetchListPages(listId: number): Promise<ListPages> {
  return pages.call('GET /mailing_lists/:mailing_list_id/public_pages', {
    params: { mailing_list_id: listId }
  })
}

export function updateListPages(listId: number, settings: ListPages): Promise<ListPages> {
  return pages.call('PUT /mailing_lists/:mailing_list_id/public_pages', {
    params: { mailing_list_id: listId },
    body: { public_pages: settings }
  })
}

/** Returns a page as visitors would see it with these settings. */
export async function previewPage(
  listId: number,
  page: PreviewedPage,
  language: 'en' | 'de',
  settings: ListPages
): Promise<string> {
  const { html } = await previews.call('POST /mailing_lists/:mailing_list_id/public_page_previews', {
    params: { mailing_list_id: listId },
    body: { page, language, settings }
  })
  return html
}

/** Returns a page of a form as visitors would see it. */
export async function previewFormPage(
  listId: number,
  page: PreviewedFormPage,
  form: ShownForm
): Promise<string> {
  const { html } = await previews.call('POST /mailing_lists/:mailing_list_id/form_page_previews', {
    params: { mailing_list_id: listId },
    body: { page, form }
  })
  return html
}

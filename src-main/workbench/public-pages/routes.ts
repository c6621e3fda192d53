import type { Kysely } from 'kysely'
import type { MailingListRow } from '../../api/mailing-lists/queries.ts'
import { localListById } from '../../api/mailing-lists/queries.ts'
import { offeredLists } from '../../api/subscribers/preferences.ts'
import { signedUpPage, signUpFormOf, signUpPage } from '../../api/web-forms/sign-up-page.ts'
import type { Language } from '../../base/languages.ts'
import type { Schema } from '../../database/schema.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import type { PageLook } from '../../public-pages/look.ts'
import { preferencesPage, withPreferencesLink } from '../../public-pages/preferences.ts'
import { type PublicPage, renderPage } from '../../public-pages/render.ts'
import { publicPage } from '../../public-pages/texts.ts'
import { type PreviewedPage, publicPageEndpoints } from './endpoints.ts'

/** The pages that visitors see, for the window. */
export const publicPageRoutes = serveEndpoints(publicPageEndpoints, ({ reader }) => ({
  'POST /mailing_lists/:mailing_list_id/public_page_previews': async ({ caller, params, body }) => {
    const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'public pages')
    const { color, logo, language: ownLanguage } = body.settings
    const language = ownLanguage ?? body.language
    const look = { list: list.name, sender: list.d_from_name ?? '', language, color, logo }
    return ok({ html: renderPage(await previewOf(reader, list, body.page, look, language), language) })
  },

  'POST /mailing_lists/:mailing_list_id/form_page_previews': async ({ caller, params, body }) => {
    const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'public pages')
    const { custom_field_ids, requires_confirmation, ...texts } = body.form
    const form = await signUpFormOf(reader, list, {
      ...texts,
      requires_confirmation: Number(requires_confirmation),
      custom_field_ids: JSON.stringify(custom_field_ids)
    })
    const page = body.page === 'signUp' ? signUpPage(form) : signedUpPage(form)
    return ok({ html: renderPage(page, texts.language) })
  }
}))

async function previewOf(
  reader: Kysely<Schema>,
  list: MailingListRow,
  page: PreviewedPage,
  look: PageLook,
  language: Language
): Promise<PublicPage> {
  const lists = await offeredLists(reader, list.organization_id, list.id)
  if (page === 'preferences') {
    const own = { id: list.id, name: list.name, description: '' }
    const shown = lists.length > 0 ? lists : [own]
    return preferencesPage(
      language,
      look,
      shown.map((each) => ({ ...each, isOn: each.id === list.id }))
    )
  }
  const shown = publicPage(page, language, look, 'name@example.com')
  return page === 'unsubscribe' && lists.length > 0 ? withPreferencesLink(shown, language) : shown
}

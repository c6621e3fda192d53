import { type Static, Type } from 'typebox'
import { ListPages } from '../../api/list-pages/schema.ts'
import { formLanguages, WebFormInput } from '../../api/web-forms/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'

/** The pages of a list that can be looked at before visitors see them. */
export const previewedPages = [
  'unsubscribe',
  'unsubscribed',
  'preferences',
  'confirmAddress',
  'confirmed'
] as const
export type PreviewedPage = (typeof previewedPages)[number]

/** The pages of a form. */
export const previewedFormPages = ['signUp', 'signedUp'] as const
export type PreviewedFormPage = (typeof previewedFormPages)[number]

const Preview = envelope(Type.Object({ html: Type.String() }))

/** The settings of a form that its pages show. */
const ShownForm = Type.Pick(WebFormInput, [
  'language',
  'requires_confirmation',
  'page_title',
  'page_intro',
  'custom_field_ids',
  'consent_text',
  'success_text'
])
export type ShownForm = Static<typeof ShownForm>

export const publicPageEndpoints = unlistedEndpoints({
  // Shows a page with settings that may not be saved yet.
  'POST /mailing_lists/:mailing_list_id/public_page_previews': {
    access: 'signed_in',
    params: MailingListParams,
    body: Type.Object({
      page: Type.Enum([...previewedPages]),
      language: Type.Enum([...formLanguages]),
      settings: ListPages
    }),
    answer: Preview
  },

  'POST /mailing_lists/:mailing_list_id/form_page_previews': {
    access: 'signed_in',
    params: MailingListParams,
    body: Type.Object({ page: Type.Enum([...previewedFormPages]), form: ShownForm }),
    answer: Preview
  }
})

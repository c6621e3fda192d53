import type { Kysely } from 'kysely'
import type { Language } from '../../base/languages.ts'
import type { Schema } from '../../database/schema.ts'
import type { Control } from '../../public-pages/controls.ts'
import { escapeHtml } from '../../public-pages/html.ts'
import { controlHtml, honeypotHtml } from '../../public-pages/controls.ts'
import type { PageLook } from '../../public-pages/look.ts'
import type { PublicPage } from '../../public-pages/render.ts'
import type { SignUpRules } from '../../public-pages/sign-up.ts'
import { publicPage } from '../../public-pages/texts.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import type { FieldDefinition } from '../custom-fields/rules.ts'
import { lookOfList } from '../list-pages/queries.ts'
import type { MailingListRow } from '../mailing-lists/queries.ts'
import { enforcesConfirmedOptIn, type WebFormRow } from './queries.ts'

/** What the pages of a form show of it. */
type ShownForm = Pick<
  WebFormRow,
  | 'language'
  | 'requires_confirmation'
  | 'page_title'
  | 'page_intro'
  | 'custom_field_ids'
  | 'consent_text'
  | 'success_text'
>

/** A form with all that its pages show. */
export interface SignUpForm<Form extends ShownForm = ShownForm> {
  form: Form
  /** True if people have to confirm: the form requires it, or the organization enforces it. */
  confirms: boolean
  look: PageLook
  /** Those that it asks for, in its order. */
  fields: FieldDefinition[]
}

const texts = {
  en: {
    email: 'Email address',
    trap: 'Leave this empty',
    day: 'Month and day, such as 12-31',
    back: 'Back to the form'
  },
  de: {
    email: 'E-Mail-Adresse',
    trap: 'Dies leer lassen',
    day: 'Monat und Tag, etwa 12-31',
    back: 'Zurück zum Formular'
  }
} satisfies Record<Language, Record<string, string>>

export async function signUpFormOf<Form extends ShownForm>(
  db: Kysely<Schema>,
  list: MailingListRow,
  form: Form
): Promise<SignUpForm<Form>> {
  const all = await fieldsOfList(db, list.organization_id, list.id)
  const ids = JSON.parse(form.custom_field_ids) as number[]
  const fields = ids.flatMap((id) => all.find((field) => field.id === id) ?? [])
  // A list may require a field that the form does not name: nobody could subscribe without it.
  const missing = all.filter(({ id, required }) => required && !ids.includes(id))
  const confirms =
    form.requires_confirmation === 1 || (await enforcesConfirmedOptIn(db, list.organization_id))
  return { form, confirms, look: await lookOfList(db, list), fields: [...fields, ...missing] }
}

export function rulesOf({ form, fields }: SignUpForm): SignUpRules {
  const required = fields.filter((field) => field.required && field.type !== 'boolean')
  return { required: required.map(({ id }) => id), asksForConsent: form.consent_text !== '' }
}

export function signUpPage(signUpForm: SignUpForm): PublicPage {
  const { form, look } = signUpForm
  const page = publicPage('signUp', form.language, look)
  return {
    ...page,
    ...(form.page_title !== '' && { title: form.page_title }),
    sentence: form.page_intro,
    controls: controlsOf(signUpForm),
    trap: texts[form.language].trap
  }
}

/** Returns what follows a sign-up: the form's own words, or the usual ones. */
export function signedUpPage({ form, confirms, look }: SignUpForm): PublicPage {
  const page = publicPage(confirms ? 'signUpAsked' : 'signedUp', form.language, look)
  return form.success_text === '' ? page : { ...page, sentence: form.success_text }
}

/** Returns the page that refuses a sign-up. @param sentence why; left out = something is missing */
export function faultySignUpPage({ form, look }: SignUpForm, sentence?: string): PublicPage {
  return {
    ...publicPage('signUpFaulty', form.language, look),
    ...(sentence !== undefined && { sentence }),
    // The page's own address, without what was posted.
    link: { label: texts[form.language].back, href: '' }
  }
}

/** Returns the form as HTML for a web page of the user's own. @param address of the sign-up page */
export function embeddedForm(signUpForm: SignUpForm, address: string): string {
  const { form } = signUpForm
  const fields = controlsOf(signUpForm).map(controlHtml)
  const { action } = publicPage('signUp', form.language)
  const trap = honeypotHtml(texts[form.language].trap).replace(
    'class="trap"',
    'style="position:absolute;left:-100rem"'
  )
  return `<form action="${escapeHtml(address)}" method="post" accept-charset="utf-8">
${[...fields, trap].map((line) => `  ${line}`).join('\n')}
  <button>${escapeHtml(action?.label ?? '')}</button>
</form>`
}

function controlsOf({ form, fields }: SignUpForm): Control[] {
  const { email } = texts[form.language]
  return [
    { kind: 'email', name: 'email', label: email, isRequired: true, maxLength: 513 },
    ...fields.map((field) => controlOf(field, form.language)),
    ...(form.consent_text === ''
      ? []
      : [{ kind: 'checkbox' as const, name: 'consent', label: form.consent_text, isRequired: true }])
  ]
}

function controlOf(field: FieldDefinition, language: Language): Control {
  const { id, name: label, type, required, instructions, attributes } = field
  const common = {
    ...{ name: `field_${id}`, label, isRequired: required },
    ...(instructions !== null && instructions !== '' && { help: instructions })
  }
  const options = field.options.map(({ name }) => ({ value: name, label: name }))
  switch (type) {
    case 'text':
      return { ...common, kind: 'text', maxLength: attributes.maximum_length ?? null }
    case 'text_multiline':
      return { ...common, kind: 'multiline', rows: attributes.number_of_rows ?? 4 }
    case 'number':
    case 'date':
      return { ...common, kind: type }
    case 'day_of_year':
      return { ...common, kind: 'text', maxLength: 5, help: common.help ?? texts[language].day }
    case 'boolean':
      return { ...common, kind: 'checkbox', isRequired: false }
    case 'select_single_radio':
      return { ...common, kind: 'radio', options }
    case 'select_multiple_checkboxes':
      return { ...common, kind: 'checkboxes', options }
    case 'select_single_dropdown':
      return { ...common, kind: 'choice', options: [{ value: '', label: '' }, ...options] }
  }
}

import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { gateSecretOf, pageKeyOf } from '../../gates/keys.ts'
import { signingSecret } from '../../settings/queries.ts'
import { urlDomainsOf } from '../delivery-settings/queries.ts'
import type { MailingListRow } from '../mailing-lists/queries.ts'
import { makeToken } from '../subscribers/tokens.ts'
import type { WebFormRow } from './queries.ts'
import { embeddedForm, signUpFormOf } from './sign-up-page.ts'

/** Returns the key of the content in which a gate has the page of a form. */
export function signUpContentKey(formId: number): string {
  return `p${formId}`
}

/** True for the key of a form's page. */
export function isSignUpContent(key: string): boolean {
  return key.startsWith('p')
}

/**
 * Returns the address of a form's page, under the URL domain of its list.
 * @param origin of this application, for a list without one
 */
export async function signUpAddress(
  db: Kysely<Schema>,
  list: MailingListRow,
  formId: number,
  origin: string
): Promise<string> {
  const domains = await urlDomainsOf(db, list.organization_id)
  const urlDomain = domains.find(({ id }) => id === list.d_url_domain_id)
  const secret = await signingSecret(db)
  const named = { subscriberId: 0, sliceId: formId }
  if (urlDomain?.address == null) {
    const base = urlDomain ? `http://${urlDomain.domain}` : origin
    return `${base}/f/${makeToken(secret, 'sign_up', named)}`
  }
  const token = makeToken(gateSecretOf(secret, list.organization_id), 'sign_up', named)
  return `${urlDomain.address}/f/${token}/${pageKeyOf(secret, signUpContentKey(formId))}`
}

/** Returns the page of a form as its users need it; null if it has none. */
export async function pageOfForm(
  db: Kysely<Schema>,
  list: MailingListRow,
  form: WebFormRow,
  origin: string
): Promise<{ url: string; html: string } | null> {
  if (form.has_page !== 1) return null
  const url = await signUpAddress(db, list, form.id, origin)
  return { url, html: embeddedForm(await signUpFormOf(db, list, form), url) }
}

import type { Kysely } from 'kysely'
import { confirmationTexts } from '../../api/web-forms/confirmation-texts.ts'
import type { WebFormRow } from '../../api/web-forms/queries.ts'
import { customHeaders } from '../../api/campaigns/rules.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import type { MailingListRow } from '../../api/mailing-lists/queries.ts'
import { organizationById } from '../../api/organizations/queries.ts'
import type { Schema } from '../../database/schema.ts'
import { signingSecret } from '../../settings/queries.ts'
import { addressesOf, type LinkPlan } from '../addresses.ts'
import type { MessagePlan, SmtpRoute } from '../plan.ts'

/** The confirmation messages of a form: what their thread needs. */
export interface ConfirmationPlan {
  message: MessagePlan
  webFormId: number
  /** The statistics id of its messages. */
  sliceId: number
  /** null = the outbox. */
  route: SmtpRoute | null
  /** The length of its outbox file in bytes up to which messages are counted. */
  position: number
}

/** Returns how the confirmation messages of a form are composed. @param sliceId the statistics id of its messages */
export async function confirmationMessageOf(
  db: Kysely<Schema>,
  list: MailingListRow,
  form: WebFormRow,
  { sliceId, ...links }: LinkPlan & { sliceId: number }
): Promise<MessagePlan> {
  const { organization_id: organizationId } = list
  const settings = { organizationId, urlDomainId: list.d_url_domain_id, bounceUserId: list.d_bounce_email_id }
  const organization = await organizationById(db, organizationId)
  return {
    organizationId,
    campaign: { id: form.id, name: form.name },
    xCampaignId: `${organizationId}-${list.id}-f${form.id}`,
    list: { id: list.id, name: list.name },
    sender: {
      from_email: list.d_from_email ?? '',
      from_name: list.d_from_name,
      sender_email: list.d_sender_email,
      reply_to: list.d_reply_to
    },
    ...(await addressesOf(db, settings, links)),
    customHeaders: list.custom_headers_enabled === 1 ? customHeaders(list.custom_headers) : [],
    fields: await fieldsOfList(db, organizationId, list.id),
    timeZone: organization.time_zone_name,
    asksToConfirm: true,
    isRemote: false,
    signingSecret: await signingSecret(db),
    tracksOpens: false,
    frame: organization,
    attachmentsOf: null,
    contents: [{ ...contentOf(form), id: form.id, name: form.name, sliceId, links: [] }]
  }
}

function contentOf(form: WebFormRow) {
  const { confirmation_subject: subject, confirmation_html: html, confirmation_text: text } = form
  const usual = confirmationTexts[form.language]
  const isOwn = html.trim() !== '' || text.trim() !== ''
  const parts = isOwn ? { html, text } : usual
  return {
    subject: subject.trim() === '' ? usual.subject : subject,
    html: parts.html,
    text: parts.text,
    format:
      parts.html.trim() === ''
        ? ('text' as const)
        : parts.text.trim() === ''
          ? ('html' as const)
          : ('both' as const)
  }
}

import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { MessagePlan } from './plan.ts'
import { signingSecret } from '../settings/queries.ts'
import { customHeaders } from '../api/campaigns/rules.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import type { MailingListRow } from '../api/mailing-lists/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import type { AutoresponderRow } from '../api/autoresponders/queries.ts'

/**
 * Returns how the messages of an autoresponder are composed.
 * @param linkBase without a path
 * @returns null if it has no content
 */
export async function autoresponderPlanOf(
  db: Kysely<Schema>,
  list: MailingListRow,
  row: AutoresponderRow,
  { linkBase, timeZone }: { linkBase: string; timeZone: string }
): Promise<MessagePlan | null> {
  if (row.content_html.trim() === '' && row.content_text.trim() === '') return null
  const ofList = row.use_external_delivery_setting === 1
  return {
    organizationId: list.organization_id,
    campaign: { id: row.id, name: row.name },
    xCampaignId: `${list.organization_id}-${list.id}-a${row.id}`,
    list: { id: list.id, name: list.name },
    sender: {
      from_email: (ofList ? list.d_from_email : row.from_email) ?? '',
      from_name: ofList ? list.d_from_name : row.from_name,
      sender_email: list.d_sender_email,
      reply_to: list.d_reply_to
    },
    bounceAddress: null,
    customHeaders: list.custom_headers_enabled === 1 ? customHeaders(list.custom_headers) : [],
    fields: await fieldsOfList(db, list.organization_id, list.id),
    timeZone,
    linkBase,
    leaves: false,
    // Its links lead to this computer, so no one else can follow them.
    linksImages: false,
    signingSecret: await signingSecret(db),
    tracksOpens: false,
    frame: await organizationById(db, list.organization_id),
    contents: [
      {
        id: row.id,
        name: row.name,
        subject: row.content_subject,
        format: row.content_format,
        html: row.content_html,
        text: row.content_text,
        sliceId: 0,
        links: []
      }
    ]
  }
}

import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { MessagePlan } from './plan.ts'
import { addressesOf, type LinkPlan } from './addresses.ts'
import { signingSecret } from '../settings/queries.ts'
import { customHeaders } from '../api/campaigns/rules.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import type { MailingListRow } from '../api/mailing-lists/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import type { AutoresponderRow } from '../api/autoresponders/queries.ts'

interface AutoresponderContext extends LinkPlan {
  timeZone: string
  /** The statistics id of its content; 0 = nothing is counted. */
  sliceId: number
}

/** Returns how the messages of an autoresponder are composed; null if it has no content. */
export async function autoresponderPlanOf(
  db: Kysely<Schema>,
  list: MailingListRow,
  row: AutoresponderRow,
  { timeZone, sliceId, ...links }: AutoresponderContext
): Promise<MessagePlan | null> {
  if (row.content_html.trim() === '' && row.content_text.trim() === '') return null
  const ofList = row.use_external_delivery_setting === 1
  const addresses = await addressesOf(
    db,
    {
      organizationId: list.organization_id,
      urlDomainId: ofList ? list.d_url_domain_id : row.url_domain_id,
      bounceUserId: ofList ? list.d_bounce_email_id : row.bounce_email_id
    },
    links
  )
  const hasLinks = addresses.linkBase !== null
  const tracked = await db
    .selectFrom('stat_links')
    .select(['id', 'url'])
    .where('stat_slice_id', '=', sliceId)
    .orderBy('id')
    .execute()
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
    ...addresses,
    customHeaders: list.custom_headers_enabled === 1 ? customHeaders(list.custom_headers) : [],
    fields: await fieldsOfList(db, list.organization_id, list.id),
    timeZone,
    asksToConfirm: false,
    isRemote: false,
    signingSecret: await signingSecret(db),
    tracksOpens: row.track_opens === 1 && hasLinks,
    frame: await organizationById(db, list.organization_id),
    attachmentsOf: null,
    contents: [
      {
        id: row.id,
        name: row.name,
        subject: row.content_subject,
        format: row.content_format,
        html: row.content_html,
        text: row.content_text,
        sliceId,
        links: row.track_links === 1 && hasLinks ? tracked : []
      }
    ]
  }
}

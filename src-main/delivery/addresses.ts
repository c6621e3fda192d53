import type { Kysely } from 'kysely'
import { bounceAddress, bounceEmailsOf, urlDomainsOf } from '../api/delivery-settings/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { MessagePlan } from './plan.ts'

/** Where the links of messages lead. */
export interface LinkPlan {
  /** Without a path, for links without a URL domain. */
  linkBase: string
  /** True if the messages leave this computer: readers could not open links to it. */
  leaves: boolean
}

/** The delivery settings of a campaign, an autoresponder or a list that are addresses; undefined = none. */
interface AddressSettings {
  organizationId: number
  urlDomainId: number | null | undefined
  /** The first part of a bounce email's id. */
  bounceUserId: number | null | undefined
}

/** Returns the addresses in the messages of a plan. */
export async function addressesOf(
  db: Kysely<Schema>,
  { organizationId, urlDomainId, bounceUserId }: AddressSettings,
  { linkBase, leaves }: LinkPlan
): Promise<
  Pick<MessagePlan, 'linkBase' | 'gate' | 'linksImages' | 'leaves' | 'bounceAddress' | 'hasPlusAddressing'>
> {
  const urlDomain = (await urlDomainsOf(db, organizationId)).find(({ id }) => id === urlDomainId)
  const bounceEmails = await bounceEmailsOf(db, organizationId)
  const bounceEmail = bounceEmails.find(({ userId }) => userId === bounceUserId)
  const gate = urlDomain?.address != null ? { urlDomainId: urlDomain.id, address: urlDomain.address } : null
  return {
    linkBase: gate?.address ?? (urlDomain ? `http://${urlDomain.domain}` : leaves ? null : linkBase),
    gate,
    linksImages: urlDomain !== undefined,
    leaves,
    bounceAddress: bounceEmail ? bounceAddress(bounceEmail) : null,
    hasPlusAddressing: bounceEmail?.plusAddressing === 1
  }
}

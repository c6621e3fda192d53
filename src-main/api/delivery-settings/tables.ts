import type { Generated } from 'kysely'
import type { Flag } from '../../database/schema.ts'

export interface VirtualMtasTable {
  id: Generated<number>
  organization_id: number
  name: string
  name_key: string
}

export interface UrlDomainsTable {
  id: Generated<number>
  organization_id: number
  domain: string
}

/** A bounce email's id names first the user, then the domain: "4@1". */
export interface BounceDomainsTable {
  id: Generated<number>
  organization_id: number
  domain: string
}

export interface BounceEmailsTable {
  id: Generated<number>
  bounce_domain_id: number
  username: string
  /** 1 if it takes mail to user+anything as well. */
  plus_addressing: Generated<Flag>
}

declare module '../../database/schema.ts' {
  interface Schema {
    virtual_mtas: VirtualMtasTable
    url_domains: UrlDomainsTable
    bounce_domains: BounceDomainsTable
    bounce_emails: BounceEmailsTable
  }
  interface ChangedEntities {
    url_domain: unknown
    bounce_email: unknown
    virtual_mta: unknown
  }
}

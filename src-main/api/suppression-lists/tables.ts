import type { ColumnType, Generated } from 'kysely'
import type { Time, Fixed } from '../../database/schema.ts'
import type { AddressType } from './rules.ts'

export interface SuppressionListsTable {
  id: Generated<number>
  organization_id: number
  /** The list that it is for; null = all lists of the organization, or of all when it is the System Organization's. */
  mailing_list_id: number | null
  name: string
  name_key: string
  addresses: ColumnType<number, number | undefined, number>
  created_at: Fixed<Time>
  updated_at: Time
}

export interface SuppressedAddressesTable {
  id: Generated<number>
  suppression_list_id: number
  /** The user who added it. */
  user_id: number
  /** As entered. */
  email: string
  /** As compared; see suppression-lists/rules.ts */
  key: string
  address_type: AddressType
}

/** Many addresses that are being written; see jobs/suppression-requests.ts. */
export interface SuppressionRequestsTable {
  id: Generated<number>
  suppression_list_id: number
  user_id: number
}

/** A part of a request, until it is written. */
export interface SuppressionRequestPartsTable {
  id: Generated<number>
  request_id: number
  /** One per line. */
  addresses: string
}

declare module '../../database/schema.ts' {
  interface Schema {
    suppression_lists: SuppressionListsTable
    suppressed_addresses: SuppressedAddressesTable
    suppression_requests: SuppressionRequestsTable
    suppression_request_parts: SuppressionRequestPartsTable
  }
  interface ChangedEntities {
    suppression_list: unknown
  }
}

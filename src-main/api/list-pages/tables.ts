import type { Flag } from '../../database/schema.ts'
import type { FormLanguage } from '../web-forms/schema.ts'

/** How the public pages of a list look. */
export interface ListPagesTable {
  mailing_list_id: number
  /** null = that of each visitor. */
  language: FormLanguage | null
  /** #rrggbb; '' = the usual one. */
  color: string
  /** A picture as a data URI; '' = none. */
  logo: string
  /** 1 = visitors may choose the list on the page of preferences. */
  is_public: Flag
  /** What visitors read of it there. */
  description: string
}

declare module '../../database/schema.ts' {
  interface Schema {
    list_pages: ListPagesTable
  }
}

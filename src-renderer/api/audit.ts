import { type AuditedEntity, auditedEntities } from '../../src-main/api/record-kinds.ts'
import { windowPages } from '../../src-main/base/window-pages.ts'
import {
  type auditEndpoints,
  type AuditEvent,
  type AuditFilter,
  type AuditPage
} from '../../src-main/workbench/audit/endpoints.ts'
import { eventVias } from '../../src-main/workbench/subscriber-page/endpoints.ts'
import { windowCalls } from './client.ts'

export { auditedEntities, eventVias }
export type { AuditedEntity, AuditEvent, AuditFilter, AuditPage }

const { call, address } = windowCalls<typeof auditEndpoints>()

const maxEmptyPages = 20

/**
 * The newest events, or those before what the page before answered as `next`. Where little fits the filter, several pages are
 * asked for.
 */
export async function fetchAuditLog(filter: AuditFilter, before: number | null = null): Promise<AuditPage> {
  let page = await fetchPage(filter, before)
  for (let empty = 0; page.events.length === 0 && page.next !== null && empty < maxEmptyPages; empty++) {
    page = await fetchPage(filter, page.next)
  }
  return page
}

function fetchPage(filter: AuditFilter, before: number | null): Promise<AuditPage> {
  return call('GET /audit_log', { query: { ...filter, ...(before !== null && { before }) } })
}

export function auditCsvAddress(filter: AuditFilter): string {
  return address('GET /audit_log/csv', { query: filter })
}

export function pageOfAuditLog(filter: AuditFilter): string {
  const entries = Object.entries(filter).map(([name, value]) => [name, String(value)])
  return `${windowPages.audit}?${new URLSearchParams(entries).toString()}`
}

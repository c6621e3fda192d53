import type {
  EarlierQuery,
  QueryResult,
  remoteQueryEndpoints
} from '../../src-main/workbench/remote-queries/endpoints.ts'
import type { writeBackEndpoints } from '../../src-main/write-back/endpoints.ts'
import type { WriteBack, WriteBackChanges } from '../../src-main/write-back/schema.ts'
import { apiCalls, windowCalls } from './client.ts'

export type { EarlierQuery, QueryResult, WriteBack }

const queries = windowCalls<typeof remoteQueryEndpoints>()
const writeBacks = apiCalls<typeof writeBackEndpoints>()

/** Returns the first rows of a query. @throws DOMException AbortError when the signal is aborted: the query ends then */
export function previewQuery(listId: number, query: string, signal: AbortSignal): Promise<QueryResult> {
  const params = { mailing_list_id: listId }
  return queries.call('POST /mailing_lists/:mailing_list_id/query_previews', {
    params,
    body: { query },
    signal
  })
}

/** Reads all rows of a query, and returns how many are recipients. */
export function checkQuery(listId: number, query: string, signal: AbortSignal): Promise<QueryResult> {
  const params = { mailing_list_id: listId }
  return queries.call('POST /mailing_lists/:mailing_list_id/query_checks', {
    params,
    body: { query },
    signal
  })
}

/** Returns the queries of a list's campaigns, the newest first. */
export function fetchQueries(listId: number): Promise<EarlierQuery[]> {
  return queries.call('GET /mailing_lists/:mailing_list_id/queries', { params: { mailing_list_id: listId } })
}

/** Returns how the unsubscribes, bounces and complaints of a Remote List are written into its database. */
export function fetchWriteBack(listId: number): Promise<WriteBack> {
  return writeBacks.call('GET /mailing_lists/:mailing_list_id/write_back', {
    params: { mailing_list_id: listId }
  })
}

export function updateWriteBack(listId: number, changes: WriteBackChanges): Promise<WriteBack> {
  return writeBacks.call('PUT /mailing_lists/:mailing_list_id/write_back', {
    params: { mailing_list_id: listId },
    body: { write_back: changes }
  })
}

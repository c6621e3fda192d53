import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { QueryResult } from '../api/remote-queries.ts'

/** A query that was run, and its first rows. */
export interface QueryRun {
  query: string
  result: QueryResult
}

/** The rows of Remote Lists that were looked at last: the message editor takes its merge fields and samples from them. */
export const useQueryResults = defineStore('query-results', () => {
  const runs = ref<Record<number, QueryRun>>({})
  /** The query that is being written on a list's page. */
  const written = ref<Record<number, string>>({})

  function resultOf(listId: number): QueryResult | undefined {
    return runs.value[listId]?.result
  }

  function storeRun(listId: number, run: QueryRun): void {
    runs.value[listId] = run
  }

  return { runs, written, resultOf, storeRun }
})

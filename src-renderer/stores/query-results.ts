import { defineStore } from 'pinia'
import { ref, watch } from 'vue'
import type { QueryResult } from '../api/remote-queries.ts'

/** A query that was run, and its first rows. */
export interface QueryRun {
  query: string
  result: QueryResult
}

const storageKey = 'listwright-queries'

/** The rows of Remote Lists that were looked at last: the message editor takes its merge fields and samples from them. */
export const useQueryResults = defineStore('query-results', () => {
  const runs = ref<Record<number, QueryRun>>({})
  /** The query that is being written on a list's page, which survives that the page is loaded again. */
  const written = ref<Record<number, string>>(
    JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Record<number, string>
  )
  watch(written, (queries) => sessionStorage.setItem(storageKey, JSON.stringify(queries)), { deep: true })

  function resultOf(listId: number): QueryResult | undefined {
    return runs.value[listId]?.result
  }

  function storeRun(listId: number, run: QueryRun): void {
    runs.value[listId] = run
  }

  return { runs, written, resultOf, storeRun }
})

import type { ComputedRef, InjectionKey } from 'vue'

/** What codes of a message can name: a custom field, or a column of a Remote List's query. */
export interface MergeField {
  name: string
}

/** Provided to the parts of a message editor: true if it writes to a Remote List. */
export const writesToRemoteList: InjectionKey<ComputedRef<boolean>> = Symbol('writesToRemoteList')

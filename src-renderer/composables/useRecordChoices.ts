import { storeToRefs } from 'pinia'
import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { fetchCampaignNames } from '../api/campaigns.ts'
import { type AddingImport, fetchImportsThatAdded } from '../api/imports.ts'
import type { RecordChoices } from '../model/conditions.ts'
import { formatDateTime, formatNumber } from '../format.ts'
import { useLiveEvents } from '../stores/live-events.ts'
import { useMailingLists } from '../stores/mailing-lists.ts'
import { type Loaded, useLoaded } from '../stores/useLoaded.ts'
import { useImportTitle } from './useImportTitle.ts'

/** The records that conditions of a filter can refer to; empty while loading. */
export function useRecordChoices(listId: () => number): {
  choices: ComputedRef<RecordChoices>
  failure: ComputedRef<Loaded<unknown>['failure']['value']>
} {
  const { t } = useI18n()
  const titleOf = useImportTitle()
  const { lists } = storeToRefs(useMailingLists())
  const { reloadOn } = useLiveEvents()
  const campaigns = useLoaded(() => fetchCampaignNames(listId()))
  const imports = useLoaded(() => fetchImportsThatAdded(listId()))
  reloadOn(['campaign'], listId, campaigns.reload)
  reloadOn(['subscriber_import'], listId, imports.reload)

  // The same file is often imported again: when, and how many it added, tells these apart.
  const labelOf = (each: AddingImport): string =>
    [
      titleOf(each),
      formatDateTime(each.begins_at),
      t('filter.importAdded', { count: formatNumber(each.added) })
    ].join(' · ')
  const choices = computed(() => ({
    // "Is active in" makes sense with the list itself, so it is offered as well.
    lists: lists.value
      .filter((each) => !each.is_remote_list)
      .map(({ id, name }) => ({ value: id, label: name })),
    campaigns: (campaigns.value.value ?? []).map(({ id, name }) => ({ value: id, label: name })),
    imports: (imports.value.value ?? []).map((each) => ({ value: each.id, label: labelOf(each) }))
  }))
  return { choices, failure: computed(() => campaigns.failure.value ?? imports.failure.value) }
}

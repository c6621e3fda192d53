import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { fetchSegments } from '../api/segments.ts'
import { type Loaded, useLoaded } from '../stores/useLoaded.ts'

export interface SegmentChoices {
  /** Everyone on the list, which is 0, and its segments by id; more than one entry once it has segments. */
  choices: ComputedRef<{ value: number; label: string }[]>
  reload: Loaded<unknown>['reload']
}

export function useSegmentChoices(listId: () => number): SegmentChoices {
  const { t } = useI18n()
  const { value: segments, reload } = useLoaded(() => fetchSegments(listId()))
  const choices = computed(() => [
    { value: 0, label: t('segments.everyone') },
    ...(segments.value ?? []).map(({ id, name }) => ({ value: id, label: name }))
  ])
  return { choices, reload }
}

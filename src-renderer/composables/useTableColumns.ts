import { computed, type Ref, shallowRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { SortColumn } from '../../src-main/api/segments/conditions.ts'
import { maxColumnWidth, minColumnWidth } from '../../src-main/workbench/table-views/schema.ts'
import type { CustomField } from '../api/custom-fields.ts'
import type { MailingList } from '../api/mailing-lists.ts'
import type { Subscriber } from '../api/subscribers.ts'
import type { TableView } from '../api/table-views.ts'
import { shownValue } from '../model/shown-value.ts'
import { isSortable, type TableColumn } from '../model/table-columns.ts'
import { formatDay } from '../format.ts'

/** The visible columns from left to right, with widths. */
export type ColumnLayout = TableView['columns']

/** The user's columns of the table of subscribers. */
export interface TableColumns {
  /** All that there are, those that are shown first and in their order. */
  all: Readonly<Ref<TableColumn[]>>
  shown: Readonly<Ref<TableColumn[]>>
  /** null = those that a list has to begin with. */
  layout: Readonly<Ref<ColumnLayout | null>>
  /** Shows other columns; null as in {@link layout}. */
  arrange: (layout: ColumnLayout | null) => void
  /** The layout in full, to be saved. */
  layoutNow: () => ColumnLayout
  show: (key: string, isShown: boolean) => void
  /** Exchanges a column with its left (-1) or right (1) neighbor. The email stays the first. */
  move: (key: string, direction: -1 | 1) => void
  /** @param width in pixels; null = as wide as there is room */
  resize: (key: string, width: number | null) => void
}

/** The column that is always shown. */
export const fixedColumn = 'email'

export function useTableColumns(list: () => MailingList, fields: () => CustomField[]): TableColumns {
  const { t } = useI18n()
  const layout: Ref<ColumnLayout | null> = shallowRef(null)

  const own = (
    by: SortColumn,
    label: string,
    width: string,
    valueOf: (subscriber: Subscriber) => string
  ): TableColumn => ({ key: by, label, width, by, valueOf })
  const standard = computed((): TableColumn[] => [
    own('email', t('subscribers.email'), 'minmax(20rem, 1.4fr)', ({ email }) => email),
    own('status', t('subscribers.status'), '8.5rem', ({ status }) => t(`status.${status}`)),
    ...(list().has_confirmed
      ? [
          own('confirmed', t('subscribers.confirmed'), '8.5rem', ({ confirmed }) =>
            t(confirmed ? 'common.yes' : 'common.no')
          )
        ]
      : []),
    ...(list().has_format
      ? [own('email_format', t('subscribers.format'), '8.5rem', ({ email_format }) => email_format ?? '')]
      : []),
    own('subscribe_time', t('subscribers.subscribed'), '9rem', ({ subscribe_time }) =>
      formatDay(subscribe_time)
    ),
    ...fields().map((field) => ({
      key: `field ${field.id}`,
      label: field.name,
      width: 'minmax(9rem, 1fr)',
      by: isSortable(field) ? field.id : null,
      valueOf: (subscriber: Subscriber) => shownValue(subscriber, field)
    }))
  ])
  /** The columns that must be requested. */
  const further = computed(() => [
    own('created_at', t('subscriberPage.added'), '9rem', ({ created_at }) => formatDay(created_at))
  ])

  const shown = computed(() => {
    if (layout.value === null) return standard.value
    const known = new Map([...standard.value, ...further.value].map((column) => [column.key, column]))
    return layout.value.flatMap(({ key, width }) => {
      const column = known.get(key)
      return column ? [width === null ? column : { ...column, width: `${width}px` }] : []
    })
  })
  const all = computed(() => {
    const keys = new Set(shown.value.map(({ key }) => key))
    const hidden = [...standard.value, ...further.value].filter(({ key }) => !keys.has(key))
    return [...shown.value, ...hidden]
  })

  /** Returns the current layout without columns that no longer exist. */
  function layoutNow(): ColumnLayout {
    if (layout.value === null) return standard.value.map(({ key }) => ({ key, width: null }))
    const known = new Set(all.value.map(({ key }) => key))
    return layout.value.filter(({ key }) => known.has(key))
  }

  function show(key: string, isShown: boolean): void {
    const others = layoutNow().filter((column) => column.key !== key)
    layout.value = isShown ? [...others, { key, width: null }] : others
  }

  function move(key: string, direction: -1 | 1): void {
    const columns = [...layoutNow()]
    const at = columns.findIndex((column) => column.key === key)
    const [column, other] = [columns[at], columns[at + direction]]
    if (!column || !other || column.key === fixedColumn || other.key === fixedColumn) return
    columns[at] = other
    columns[at + direction] = column
    layout.value = columns
  }

  function resize(key: string, width: number | null): void {
    const within =
      width === null ? null : Math.round(Math.min(maxColumnWidth, Math.max(minColumnWidth, width)))
    layout.value = layoutNow().map((column) => (column.key === key ? { key, width: within } : column))
  }

  const arrange = (chosen: ColumnLayout | null) => (layout.value = chosen)

  return { all, shown, layout, arrange, layoutNow, show, move, resize }
}

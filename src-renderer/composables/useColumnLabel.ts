import { useI18n } from 'vue-i18n'
import { isImportColumn } from '../../src-main/api/subscriber-imports/rules.ts'

/** Returns a function that gives the label of an import's or export's column. */
export function useColumnLabel(): (column: string) => string {
  const { t } = useI18n()
  return (column) => (isImportColumn(column) ? t(`importColumn.${column}`) : column)
}

import { useI18n } from 'vue-i18n'
import { isImportColumn } from '../../src-main/api/subscriber-imports/rules.ts'

/** What people call a column of an import or an export: the name of its custom field, or the words for what it holds. */
export function useColumnLabel(): (column: string) => string {
  const { t } = useI18n()
  return (column) => (isImportColumn(column) ? t(`importColumn.${column}`) : column)
}

import { useI18n } from 'vue-i18n'

/** What an import is called: the file that its rows come from, and whether they are corrected rows of it. */
export function useImportTitle(): (each: {
  id: number
  name: string | null
  corrects_id: number | null
}) => string {
  const { t } = useI18n()
  return ({ id, name, corrects_id }) => {
    if (corrects_id === null) return name ?? t('imports.number', { id })
    return t('imports.correctedRows', { name: name ?? t('imports.number', { id: corrects_id }) })
  }
}

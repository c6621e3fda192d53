import { useI18n } from 'vue-i18n'

/** Returns a function that gives the title of an import: its file, and whether it corrects rows. */
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

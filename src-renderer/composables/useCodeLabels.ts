import { useI18n } from 'vue-i18n'
import { replacementKey } from '../../src-main/api/autoresponders/rules.ts'
import { codeKey, fallbackOf } from '../../src-main/api/campaigns/replacement-codes.ts'
import type { MergeField } from '../model/merge-field.ts'

/** Returns a function that gives the label of a replacement code: the field's name or a description. */
export function useCodeLabels(fields: () => MergeField[]): (code: string) => string {
  const i18n = useI18n()
  return (code) => {
    const written = code.replace(/:raw$/i, '')
    const labelOf = (key: string): string | undefined => {
      const field = fields().find(({ name }) => replacementKey(name) === key)
      return field?.name ?? (i18n.te(`code.${key}`) ? i18n.t(`code.${key}`) : undefined)
    }
    const fallback = fallbackOf(written)
    const label = fallback && labelOf(fallback.key)
    return labelOf(codeKey(written)) ?? (fallback && label ? `${label} | ${fallback.text}` : code)
  }
}

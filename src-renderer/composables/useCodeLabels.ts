import { useI18n } from 'vue-i18n'
import { replacementKey } from '../../src-main/api/autoresponders/rules.ts'
import { codeKey } from '../../src-main/api/campaigns/replacement-codes.ts'
import type { CustomField } from '../api/custom-fields.ts'

/** Returns a function that gives the label of a replacement code: the field's name or a description. */
export function useCodeLabels(fields: () => CustomField[]): (code: string) => string {
  const i18n = useI18n()
  return (code) => {
    const key = codeKey(code.replace(/:raw$/i, ''))
    const field = fields().find(({ name }) => replacementKey(name) === key)
    return field?.name ?? (i18n.te(`code.${key}`) ? i18n.t(`code.${key}`) : code)
  }
}

import { useI18n } from 'vue-i18n'
import { replacementKey } from '../../src-main/api/autoresponders/rules.ts'
import { codeKey } from '../../src-main/api/campaigns/replacement-codes.ts'
import type { CustomField } from '../api/custom-fields.ts'

/** What a person reads in place of a replacement code: the name of the field, or what the code stands for. */
export function useCodeLabels(fields: () => CustomField[]): (code: string) => string {
  const i18n = useI18n()
  return (code) => {
    const key = codeKey(code.replace(/:raw$/i, ''))
    const field = fields().find(({ name }) => replacementKey(name) === key)
    return field?.name ?? (i18n.te(`code.${key}`) ? i18n.t(`code.${key}`) : code)
  }
}

import type { FormError } from '@nuxt/ui'
import { nextTick, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { messageOf } from '../../src-main/base/errors.ts'
import { ApiFailure } from '../api/client.ts'
import { placeFaults } from '../api/faults.ts'

/** The used part of a UForm. */
export interface FormHandle {
  setErrors: (errors: FormError[]) => void
  errors: FormError[]
  $el: HTMLElement
}

/**
 * Runs a form's action, and shows refusals at their fields.
 * @param names of the fields in the API
 * @returns a function that runs it, and throws what is not about a field
 */
export function useFieldFaults(
  form: Readonly<Ref<FormHandle | null>>,
  names: () => readonly string[]
): (work: () => Promise<unknown>) => Promise<void> {
  const { t } = useI18n()
  return async (work) => {
    form.value?.setErrors([])
    try {
      await work()
    } catch (error) {
      throw new Error(await showAtFields(error))
    }
  }

  /** @returns what is not about a field */
  async function showAtFields(error: unknown): Promise<string> {
    if (!(error instanceof ApiFailure)) return messageOf(error)
    const place = (shown: readonly string[]) => placeFaults(error, shown)
    // Errors can be set only on fields that the form displays.
    form.value?.setErrors(place(names()).atFields)
    await nextTick()
    const { atFields, elsewhere } = place((form.value?.errors ?? []).map(({ name }) => name ?? ''))
    form.value?.setErrors(atFields)
    await nextTick()
    form.value?.$el.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    return elsewhere ?? t('editor.seeFields', atFields.length)
  }
}

import type { FormError } from '@nuxt/ui'
import { nextTick, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { messageOf } from '../../src-main/base/errors.ts'
import { ApiFailure } from '../api/client.ts'
import { placeFaults } from '../api/faults.ts'

/** What is used of a UForm. */
export interface FormHandle {
  setErrors: (errors: FormError[]) => void
  errors: FormError[]
  $el: HTMLElement
}

/**
 * Does what a form is for, and shows what a call was refused for at the fields concerned.
 * @param names of the fields, by the API
 * @returns what does it; it throws what is to be said beside the form
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

  /** @returns what is to be said of the rest */
  async function showAtFields(error: unknown): Promise<string> {
    if (!(error instanceof ApiFailure)) return messageOf(error)
    const place = (shown: readonly string[]) => placeFaults(error, shown)
    // The form takes errors of those fields only that it shows.
    form.value?.setErrors(place(names()).atFields)
    await nextTick()
    const { atFields, elsewhere } = place((form.value?.errors ?? []).map(({ name }) => name ?? ''))
    form.value?.setErrors(atFields)
    await nextTick()
    form.value?.$el.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    return elsewhere ?? t('editor.seeFields', atFields.length)
  }
}

import { describe, expect, it } from 'vitest'
import { nextTick, ref } from 'vue'
import { refusal } from '../../src-main/base/refusal.ts'
import { ApiFailure } from '../../src-renderer/api/client.ts'
import { type FormHandle, useFieldFaults } from '../../src-renderer/composables/useFieldFaults.ts'
import { usePages } from '../../src-renderer/composables/usePages.ts'
import { useTicked } from '../../src-renderer/composables/useTicked.ts'
import { mountComposable, openWindow } from './support/window.ts'

describe('useTicked', () => {
  it('names the selected subscribers one by one', () => {
    const ticked = useTicked(ref(10))

    ticked.set([1, 2, 3], true)
    ticked.set([2], false)

    expect(ticked.count.value).toBe(2)
    expect(ticked.asked.value).toEqual({ only: [1, 3], except: [] })
  })

  it('names the excluded subscribers once all are selected', () => {
    const ticked = useTicked(ref(10))

    ticked.setAll(true)
    ticked.set([4], false)

    expect(ticked.count.value).toBe(9)
    expect(ticked.isAll.value).toBe(false)
    expect(ticked.asked.value).toEqual({ only: null, except: [4] })
  })

  it('refuses more ids than a request can name, and changes nothing', () => {
    const ticked = useTicked(ref(20_000))
    const tooMany = Array.from({ length: 10_001 }, (_, id) => id)

    expect(ticked.set(tooMany, true)).toBe(false)
    expect(ticked.count.value).toBe(0)
  })

  it('clears the selection when nothing is found', async () => {
    const total = ref(10)
    const ticked = useTicked(total)
    ticked.setAll(true)

    total.value = 0
    await nextTick()
    total.value = 5

    expect(ticked.count.value).toBe(0)
  })
})

describe('usePages', () => {
  it('shows a page of the rows', () => {
    const { page, shown } = usePages(() => [1, 2, 3, 4, 5], 2)

    page.value = 2

    expect(shown.value).toEqual([3, 4])
  })

  it('goes to the last page when the current one disappears', async () => {
    const rows = ref([1, 2, 3, 4, 5])
    const { page, shown } = usePages(() => rows.value, 2)
    page.value = 3

    rows.value = [1, 2]
    await nextTick()

    expect(page.value).toBe(1)
    expect(shown.value).toEqual([1, 2])
  })
})

describe('useFieldFaults', () => {
  function formWith(fields: string[]) {
    const focused: string[] = []
    const form: FormHandle = {
      errors: [],
      setErrors(errors) {
        form.errors = errors.filter(({ name }) => fields.includes(name ?? ''))
      },
      $el: {
        querySelector: () => ({ focus: () => focused.push(form.errors[0]?.name ?? '') })
      } as unknown as HTMLElement
    }
    return { form, focused }
  }

  async function refused(fields: string[], shown: string[], error: unknown) {
    await openWindow()
    const { form, focused } = formWith(shown)
    const { result: run } = await mountComposable(() => useFieldFaults(ref(form), () => fields))
    const message = await run(() => Promise.reject(error as Error)).catch((thrown: Error) => thrown.message)
    return { message, errors: form.errors, focused }
  }

  it('shows refusals at their fields and focuses the first', async () => {
    const failure = new ApiFailure('validation_failed', [refusal('blank', { field: 'name' })])

    const { message, errors, focused } = await refused(['name', 'email'], ['name', 'email'], failure)

    expect(errors).toEqual([{ name: 'name', message: 'This cannot be blank.' }])
    expect(focused).toEqual(['name'])
    expect(message).toBe('Correct the highlighted field.')
  })

  it('says what belongs to a field that the form does not show', async () => {
    const failure = new ApiFailure('validation_failed', [refusal('blank', { field: 'd_from_name' })])

    const { message, errors } = await refused(['name', 'd_from_name'], ['name'], failure)

    expect(errors).toEqual([])
    expect(message).toBe('From name cannot be blank.')
  })

  it('passes other errors on', async () => {
    expect((await refused(['name'], ['name'], new Error('No network.'))).message).toBe('No network.')
  })
})

import { onScopeDispose, type Ref, shallowRef, watch } from 'vue'

/** A value as it is once it did not change for so many milliseconds: what people type is not asked for letter by letter. */
export function useSettled<Value>(source: () => Value, pause: number): Readonly<Ref<Value>> {
  const settled: Ref<Value> = shallowRef(source())
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(source, (value) => {
    clearTimeout(timer)
    timer = setTimeout(() => (settled.value = value), pause)
  })
  onScopeDispose(() => clearTimeout(timer))
  return settled
}

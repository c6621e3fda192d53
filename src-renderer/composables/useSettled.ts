import { onScopeDispose, type Ref, shallowRef, watch } from 'vue'

/** Follows a value once it did not change for some milliseconds, so that typing does not cause a request per letter. */
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

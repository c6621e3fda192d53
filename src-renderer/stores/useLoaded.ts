import { ref, type Ref, shallowRef, watch, type WatchSource } from 'vue'

/** Something that is fetched: its value once there, or the failure. */
export interface Loaded<Value> {
  value: Readonly<Ref<Value | undefined>>
  failure: Readonly<Ref<unknown>>
  /** Fetches again; the old value stays until the new one is there. */
  reload: () => Promise<void>
}

/** Fetches now and whenever `sources` change. Of answers that overtake each other, the last question's counts. */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  sources: WatchSource[] = []
): Loaded<Value> & { value: Ref<Value | undefined> } {
  const value: Ref<Value | undefined> = shallowRef()
  const failure = ref<unknown>(null)
  let asked = 0

  async function reload(): Promise<void> {
    const question = ++asked
    try {
      const answer = await load()
      if (question !== asked) return
      value.value = answer
      failure.value = null
    } catch (error) {
      if (question === asked) failure.value = error
    }
  }

  watch(sources, () => void reload())
  void reload()
  return { value, failure, reload }
}

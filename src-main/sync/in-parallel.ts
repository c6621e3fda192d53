import { connections } from './remote-api.ts'

/** Runs work for each item, in parallel on all connections. After a failure no further item begins. */
export async function inParallel<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>
): Promise<void> {
  const left = items.values()
  let failure: { error: unknown } | null = null
  const work = async (): Promise<void> => {
    for (const item of left) {
      if (failure) return
      try {
        await act(item)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  // TypeScript does not see the assignment in the closure.
  const failed = failure as { error: unknown } | null
  if (failed) throw failed.error
}

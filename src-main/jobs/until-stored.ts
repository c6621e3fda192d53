import { setTimeout as pause } from 'node:timers/promises'
import { storageFaultOf } from '../base/errors.ts'

/** How long a step waits before it is tried again, in milliseconds. */
const waitForStorage = 2000

/**
 * Does a step of a long job. What a full disk, a lock or damage keeps from being written is tried again until it works,
 * since nobody is there to do it.
 * @param isClosed whether the application ends; then it is left to the next start
 * @param makeRoom gives some space back before the second time
 * @returns undefined when it was left
 */
export async function untilStored<Result>(
  step: () => Promise<Result>,
  isClosed: () => boolean,
  makeRoom: () => void = () => undefined
): Promise<Result | undefined> {
  for (let attempt = 1; !isClosed(); attempt++) {
    try {
      return await step()
    } catch (error) {
      if (!storageFaultOf(error)) throw error
      if (attempt === 1) makeRoom()
      else await pause(waitForStorage, undefined, { ref: false })
    }
  }
  return undefined
}

import { setTimeout as pause } from 'node:timers/promises'
import { storageFaultOf } from '../base/errors.ts'

/** Pause before a step is repeated, in milliseconds. */
const waitForStorage = 2000

/**
 * Runs a step of a long job, and repeats it until a full disk, a lock or damage no longer prevents it.
 * @param isClosed true once the application closes; the step is then left to the next start
 * @param makeRoom frees some space before the second attempt
 * @returns undefined if it was left
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

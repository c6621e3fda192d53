import { answerQuestions } from '../base/asked-thread.ts'
import { lowerPriority } from '../base/threads.ts'
import { previewLists } from './preview.ts'
import { withReadOnlyRun } from './read-only-run.ts'
import { RemoteFault } from './remote-fault.ts'
import type { LookAnswer, LookQuestion } from './remote-look.ts'
import type { ListMatch, Verification } from './schema.ts'
import { compareSides } from './verify.ts'

// Looks at a remote: what a run would do with it, or whether both sides have the same.

lowerPriority()
answerQuestions(async ({ ask, input }: LookQuestion, signal): Promise<LookAnswer> => {
  try {
    return {
      seen: await withReadOnlyRun<ListMatch[] | Verification>(
        input,
        // A user waits for a preview and can try again, so failed requests are not repeated.
        ask === 'preview' ? { signal, waits: [] } : { signal },
        ask === 'preview' ? previewLists : compareSides
      )
    }
  } catch (error) {
    if (error instanceof RemoteFault) return { refused: error.refusal }
    throw error
  }
})

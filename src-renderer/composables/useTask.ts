import { useToast } from '@nuxt/ui/composables'
import { ref, type Ref } from 'vue'
import { messageOf } from '../../src-main/base/errors.ts'

export interface Task {
  running: Ref<boolean>
  /** Why the last run failed, as a sentence; '' = it did not. */
  fault: Ref<string>
  /** Runs `work`; what it throws becomes the fault. @returns whether it worked */
  run: (work: () => Promise<unknown>) => Promise<boolean>
}

/** Something a button starts: runs once at a time, and its failure is shown beside the button. */
export function useTask(): Task {
  const running = ref(false)
  const fault = ref('')
  async function run(work: () => Promise<unknown>): Promise<boolean> {
    if (running.value) return false
    running.value = true
    fault.value = ''
    try {
      await work()
      return true
    } catch (error) {
      fault.value = messageOf(error)
      return false
    } finally {
      running.value = false
    }
  }
  return { running, fault, run }
}

/** Like {@link useTask}, but shows the fault as a toast. */
export function useToastedTask(): Task {
  const task = useTask()
  const toast = useToast()
  return {
    ...task,
    async run(work) {
      const worked = await task.run(work)
      if (!worked && task.fault.value)
        toast.add({ title: task.fault.value, color: 'error', icon: 'i-lucide-circle-alert' })
      return worked
    }
  }
}

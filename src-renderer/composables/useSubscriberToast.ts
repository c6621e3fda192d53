import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { restoreSubscriber } from '../api/subscriber-page.ts'
import { useToastedTask } from './useTask.ts'

/** Says what was done with a subscriber; whoever was deleted can be brought back there. */
export function useSubscriberToast(): (message: string, deletedId?: number) => void {
  const { t } = useI18n()
  const toast = useToast()
  const { run } = useToastedTask()

  async function restore(id: number): Promise<void> {
    await run(async () => {
      await restoreSubscriber(id)
      toast.add({ title: t('history.undone'), color: 'success', icon: 'i-lucide-circle-check' })
    })
  }

  return (message, deletedId) => {
    toast.add({
      title: message,
      color: 'success',
      icon: 'i-lucide-circle-check',
      ...(deletedId !== undefined && {
        // Time to read it, and to think.
        duration: 15_000,
        actions: [
          { label: t('history.undo'), icon: 'i-lucide-undo-2', onClick: () => void restore(deletedId) }
        ]
      })
    })
  }
}

import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { restoreSubscriber } from '../api/subscriber-page.ts'
import { useUndo } from './useUndo.ts'

/**
 * Returns a function that confirms an action on a subscriber; a deleted one can be restored from the toast.
 */
export function useSubscriberToast(): (message: string, deletedId?: number) => void {
  const { t } = useI18n()
  const toast = useToast()
  const { offerUndo } = useUndo()

  const tell = (title: string): unknown =>
    toast.add({ title, color: 'success', icon: 'i-lucide-circle-check' })

  return (message, deletedId) => {
    if (deletedId === undefined) return void tell(message)
    offerUndo(message, async () => {
      await restoreSubscriber(deletedId)
      tell(t('history.undone'))
    })
  }
}

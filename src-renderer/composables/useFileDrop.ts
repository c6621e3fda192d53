import { useToast } from '@nuxt/ui/composables'
import { useEventListener } from '@vueuse/core'
import { ref, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute, useRouter } from 'vue-router'
import { uploadFile } from '../api/workbench.ts'
import { windowPages } from '../../src-main/base/window-pages.ts'
import { importPath, isContactFile } from '../model/contact-files.ts'
import { isMessageFile } from '../model/received-files.ts'
import { droppedFiles } from '../model/dropped-files.ts'
import { useSession } from '../stores/session.ts'
import { useReceivedFiles } from './useReceivedFiles.ts'
import { useToastedTask } from './useTask.ts'

/** Time after the last dragover event in which a file counts as held over the window, in milliseconds. */
const dragRest = 200

/**
 * Starts an import for files dropped anywhere on the window: into the open list, or the page asks. Messages are received instead. Elements
 * with their own drop target, such as those for images, take precedence.
 */
export function useFileDrop(): { isHeld: Ref<boolean>; isCopying: Ref<boolean> } {
  const { t } = useI18n()
  const { may } = useSession()
  const route = useRoute()
  const router = useRouter()
  const toast = useToast()
  const { running, run } = useToastedTask()
  const { receive } = useReceivedFiles()
  const isHeld = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  useEventListener(window, 'dragover', (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files') || !may('subscriber.import'))
      return
    event.preventDefault()
    isHeld.value = true
    clearTimeout(timer)
    timer = setTimeout(() => (isHeld.value = false), dragRest)
  })
  useEventListener(window, 'drop', (event: DragEvent) => {
    isHeld.value = false
    if (event.defaultPrevented || !event.dataTransfer || !may('subscriber.import')) return
    event.preventDefault()
    void run(() => begin(event.dataTransfer as DataTransfer))
  })

  async function begin(transfer: DataTransfer): Promise<void> {
    const dropped = await droppedFiles(transfer)
    const messages = dropped.filter(({ name }) => isMessageFile(name))
    if (messages.length > 0 && may('subscriber.update')) {
      await receive(messages)
      await router.push(windowPages.bounces)
      return
    }
    const files = dropped.filter(({ name }) => isContactFile(name))
    if (files.length === 0) {
      toast.add({ title: t('wizard.noContactFile'), color: 'warning', icon: 'i-lucide-file-x' })
      return
    }
    const names: string[] = []
    for (const file of files) {
      names.push(await uploadFile(file, () => undefined, new AbortController().signal))
    }
    const { listId } = route.params
    await router.push(importPath(typeof listId === 'string' ? Number(listId) : null, names))
  }

  return { isHeld, isCopying: running }
}

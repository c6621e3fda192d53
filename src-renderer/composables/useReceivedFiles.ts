import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { type ReceivedKind, receiveMessage } from '../api/receiving.ts'
import { formatNumber } from '../format.ts'
import { messagesIn } from '../model/received-files.ts'

/** Hands the messages of files over, and says how many of them are about a recipient. */
export function useReceivedFiles(): { receive: (files: readonly File[]) => Promise<void> } {
  const { t } = useI18n()
  const toast = useToast()
  return { receive }

  async function receive(files: readonly File[]): Promise<void> {
    const kinds: ReceivedKind[] = []
    for (const file of files) {
      const text = new TextDecoder('latin1').decode(await file.arrayBuffer())
      for (const message of messagesIn(text)) kinds.push((await receiveMessage(bytesOf(message))).kind)
    }
    if (kinds.length === 0) return
    const useful = kinds.filter((each) => each !== 'other').length
    toast.add({
      title: t(
        'bounces.added',
        { count: formatNumber(useful), all: formatNumber(kinds.length) },
        kinds.length
      ),
      color: useful > 0 ? 'success' : 'warning',
      icon: useful > 0 ? 'i-lucide-circle-check' : 'i-lucide-triangle-alert'
    })
  }
}

function bytesOf(latin1: string): Blob {
  return new Blob([Uint8Array.from(latin1, (letter) => letter.charCodeAt(0))])
}

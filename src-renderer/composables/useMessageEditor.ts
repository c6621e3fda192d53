import { Editor, type JSONContent } from '@tiptap/core'
import { onBeforeUnmount, onMounted, type Ref, ref, shallowRef } from 'vue'
import { messageExtensions } from '../message-design/nodes.ts'

/** The editor of a message's document in an element of the page. */
export interface MessageEditor {
  /** Undefined until the page is there. */
  editor: Readonly<Ref<Editor | undefined>>
  /** Grows with each change of the document or the selection: what is computed from the editor reads it. */
  revision: Readonly<Ref<number>>
}

export function useMessageEditor(
  element: Readonly<Ref<HTMLElement | null>>,
  settings: {
    document: () => JSONContent
    /** The name of the editor for screen readers. */
    label: string
    labelOf: (code: string) => string
    changed: () => void
    /** Takes files that are pasted or dropped. @returns whether it did */
    takeFiles: (files: File[]) => boolean
  }
): MessageEditor {
  const editor = shallowRef<Editor>()
  const revision = ref(0)
  const take = (data: DataTransfer | null): boolean => settings.takeFiles([...(data?.files ?? [])])
  onMounted(() => {
    editor.value = new Editor({
      element: element.value,
      extensions: messageExtensions(settings.labelOf),
      content: settings.document(),
      editorProps: {
        attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': settings.label },
        handlePaste: (_view, event) => take(event.clipboardData),
        handleDrop: (_view, event) => take(event.dataTransfer)
      },
      onUpdate: settings.changed,
      onTransaction: () => revision.value++
    })
  })
  onBeforeUnmount(() => editor.value?.destroy())
  return { editor, revision }
}

import { Editor, type JSONContent } from '@tiptap/core'
import { EditorState, NodeSelection, TextSelection } from '@tiptap/pm/state'
import { onBeforeUnmount, onMounted, type Ref, ref, shallowRef } from 'vue'
import { untangleTables } from '../message-design/html.ts'
import { messageExtensions } from '../message-design/nodes.ts'

/** The editor of a message's document in an element of the page. */
export interface MessageEditor {
  /** Undefined until the page is there. */
  editor: Readonly<Ref<Editor | undefined>>
  /** Increments with each change of document or selection; computed values read it. */
  revision: Readonly<Ref<number>>
  /** Shows another document, to which nothing leads back. */
  show: (document: JSONContent) => void
}

export function useMessageEditor(
  element: Readonly<Ref<HTMLElement | null>>,
  settings: {
    document: () => JSONContent
    /** The name of the editor for screen readers. */
    label: string
    labelOf: (code: string) => string
    changed: () => void
    /**
     * Handles pasted or dropped files.
     * @returns true if handled
     */
    acceptFiles: (files: File[]) => boolean
  }
): MessageEditor {
  const editor = shallowRef<Editor>()
  const revision = ref(0)
  const take = (data: DataTransfer | null): boolean =>
    !hasText(data) && settings.acceptFiles([...(data?.files ?? [])])
  onMounted(() => {
    editor.value = new Editor({
      element: element.value,
      extensions: messageExtensions(settings.labelOf),
      content: settings.document(),
      // Only codes and links are converted; other text stays as typed.
      enableInputRules: ['code'],
      enablePasteRules: ['code', 'link'],
      editorProps: {
        attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': settings.label },
        transformPastedHTML: untangleTables,
        handlePaste: (_view, event) => take(event.clipboardData),
        handleDrop: (_view, event) => take(event.dataTransfer),
        // Typing while a picture is selected must not replace it: the text goes into a new paragraph after
        // it.
        handleTextInput({ state, dispatch }, _from, _to, text) {
          const { selection, schema, tr } = state
          const paragraph = schema.nodes['paragraph']
          if (!(selection instanceof NodeSelection) || !selection.node.isBlock || !paragraph) return false
          const written = tr.insert(selection.to, paragraph.create(null, schema.text(text)))
          dispatch(written.setSelection(TextSelection.create(written.doc, selection.to + 1 + text.length)))
          return true
        }
      },
      onUpdate: settings.changed,
      onTransaction: () => revision.value++
    })
  })
  onBeforeUnmount(() => editor.value?.destroy())

  function show(document: JSONContent): void {
    if (!editor.value) return
    const { schema, state, view } = editor.value
    view.updateState(
      EditorState.create({ schema, doc: schema.nodeFromJSON(document), plugins: state.plugins })
    )
    revision.value++
  }
  return { editor, revision, show }
}

function hasText(data: DataTransfer | null): boolean {
  const html = data?.getData('text/html') ?? ''
  return (new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '').trim() !== ''
}

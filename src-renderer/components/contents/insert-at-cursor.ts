import { nextTick } from 'vue'

/** Inserts a text at the cursor of a field or replaces its selection, and puts the cursor behind it. */
export async function insertAtCursor(
  field: HTMLInputElement | HTMLTextAreaElement | null | undefined,
  text: string,
  inserted: string,
  write: (text: string) => void
): Promise<void> {
  const start = field?.selectionStart ?? text.length
  const end = field?.selectionEnd ?? text.length
  write(text.slice(0, start) + inserted + text.slice(end))
  await nextTick()
  field?.focus()
  field?.setSelectionRange(start + inserted.length, start + inserted.length)
}

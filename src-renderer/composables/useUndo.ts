import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import type { AuditedEntity } from '../api/audit.ts'
import { isUndoable, restoreRecord, type UndoableEntity } from '../api/undo.ts'
import { useToastedTask } from './useTask.ts'

/** Offers to undo deletions. */
export function useUndo() {
  const { t } = useI18n()
  const toast = useToast()
  const { run } = useToastedTask()

  /**
   * Confirms that a record was restored.
   * @param leftOut references that no longer exist, by attribute
   */
  function confirmRestored(name: string, leftOut: readonly string[] = []): void {
    const parts = leftOut.map((attribute) => t(`auditAttribute.${attribute}`))
    toast.add({
      title: t('undo.restored', { name }),
      ...(parts.length > 0 && { description: t('undo.leftOut', { parts: parts.join(', ') }) }),
      color: 'success',
      icon: 'i-lucide-circle-check'
    })
  }

  function offerUndo(title: string, undo: () => Promise<void>): void {
    toast.add({
      title,
      color: 'success',
      icon: 'i-lucide-circle-check',
      // Long enough to read it and decide.
      duration: 15_000,
      actions: [{ label: t('history.undo'), icon: 'i-lucide-undo-2', onClick: () => void run(undo) }]
    })
  }

  function confirmDeleted(entity: UndoableEntity, id: number, name: string): void {
    offerUndo(t('undo.deleted', { name }), async () =>
      confirmRestored(name, (await restoreRecord(entity, id)).left_out)
    )
  }

  async function deleteRecord(
    record: { entity: AuditedEntity; recordId: number } | null | undefined,
    name: string,
    work: () => Promise<unknown>
  ): Promise<void> {
    await work()
    if (record && isUndoable(record.entity)) confirmDeleted(record.entity, record.recordId, name)
  }

  return { confirmRestored, offerUndo, confirmDeleted, deleteRecord }
}

import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import type { AuditedEntity } from '../api/audit.ts'
import { isUndoable, restoreRecord, type UndoableEntity } from '../api/undo.ts'
import { useToastedTask } from './useTask.ts'

/** Offers to bring back what was deleted, and says what came back. */
export function useUndo() {
  const { t } = useI18n()
  const toast = useToast()
  const { run } = useToastedTask()

  /** Says that a record came back. @param leftOut what it used and is gone, by the names of attributes */
  function tellRestored(name: string, leftOut: readonly string[] = []): void {
    const parts = leftOut.map((attribute) => t(`auditAttribute.${attribute}`))
    toast.add({
      title: t('undo.restored', { name }),
      ...(parts.length > 0 && { description: t('undo.leftOut', { parts: parts.join(', ') }) }),
      color: 'success',
      icon: 'i-lucide-circle-check'
    })
  }

  /** Says what was done, and offers to undo it. */
  function offerUndo(title: string, undo: () => Promise<void>): void {
    toast.add({
      title,
      color: 'success',
      icon: 'i-lucide-circle-check',
      // Time to read it, and to think.
      duration: 15_000,
      actions: [{ label: t('history.undo'), icon: 'i-lucide-undo-2', onClick: () => void run(undo) }]
    })
  }

  /** Says that a record was deleted; it can be brought back there. */
  function tellDeleted(entity: UndoableEntity, id: number, name: string): void {
    offerUndo(t('undo.deleted', { name }), async () =>
      tellRestored(name, (await restoreRecord(entity, id)).left_out)
    )
  }

  /** Deletes a record, and offers to bring it back where its kind can be. @param record what the audit log knows it by */
  async function deleteRecord(
    record: { entity: AuditedEntity; recordId: number } | null | undefined,
    name: string,
    work: () => Promise<unknown>
  ): Promise<void> {
    await work()
    if (record && isUndoable(record.entity)) tellDeleted(record.entity, record.recordId, name)
  }

  return { tellRestored, offerUndo, tellDeleted, deleteRecord }
}

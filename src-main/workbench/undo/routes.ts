import { undoTime } from '../../api/bulk-actions/rules.ts'
import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { ChangeAction } from '../../database/schema.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { requireAccess } from '../../http/permissions.ts'
import { serveEndpoints } from '../../http/serve.ts'
import type { UndoableChange } from '../../api/record-kinds.ts'
import { attributeOf } from '../audit/edits.ts'
import { accessToUndo } from './access.ts'
import { undoEndpoints } from './endpoints.ts'
import { changeWithId, deletedLists, lastDeletion } from './queries.ts'

/** Undoes changes of lists, segments, campaigns and other records. */
export const undoRoutes = serveEndpoints(undoEndpoints, ({ reader, writer }) => {
  return {
    'POST /changes/:id/undo': async ({ caller, params }) => {
      const change = await changeWithId(reader, caller.organizationId, params.id)
      if (!change) throw notFound('change', params.id)
      return ok(await undo(caller, change, params.id))
    },

    'POST /deleted_records/:entity/:id/restore': async ({ caller, params: { entity, id } }) => {
      const changeId = await lastDeletion(reader, caller.organizationId, entity, id)
      if (changeId === undefined) throw notFound(`deletion of ${entity}`, id)
      return ok(await undo(caller, { entity, action: 'delete' }, changeId))
    },

    'GET /deleted_lists': async ({ caller }) => {
      const lists = await deletedLists(reader, caller.organizationId)
      return ok(
        lists.map(({ deleted_at, ...list }) => ({
          ...list,
          deleted_at: formatTime(deleted_at, caller.timeZone),
          until: formatTime(deleted_at + undoTime, caller.timeZone)
        }))
      )
    },

    'POST /deleted_lists/:id/purge': async ({ caller, params }) => {
      await writer.run('mailingLists.purgeNow', { organizationId: caller.organizationId, id: params.id })
      return ok(null)
    }
  }

  async function undo(
    caller: Caller,
    { entity, action }: { entity: UndoableChange; action: ChangeAction },
    changeId: number
  ) {
    requireAccess(caller, accessToUndo(entity, action))
    const { organizationId } = caller
    const undone = await writer.run('recordUndos.undo', { organizationId, changeId })
    return {
      entity: undone.entity,
      id: undone.id,
      mailing_list_id: undone.mailingListId,
      left_out: [...new Set(undone.leftOut.map((place) => attributeOf(place) ?? place))]
    }
  }
})

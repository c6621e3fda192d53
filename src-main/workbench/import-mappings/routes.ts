import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { importMappingEndpoints } from './endpoints.ts'
import { namedOf } from '../named-settings/queries.ts'
import type { MappingSettings } from './schema.ts'

/** /app/v1/mailing_lists/:id/import_mappings: how the files of a list are read, saved under a name. */
export const importMappingRoutes = serveEndpoints(importMappingEndpoints, ({ reader, writer }) => {
  const importMappings = (listId: number) => namedOf<MappingSettings>(reader, 'import_mappings', listId)
  return {
    'GET /mailing_lists/:mailing_list_id/import_mappings': async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return ok(await importMappings(params.mailing_list_id))
    },

    'PUT /mailing_lists/:mailing_list_id/import_mappings': async ({ caller, params, body }) => {
      const { name, ...settings } = body
      await writer.run('importMappings.save', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        name,
        settings
      })
      return ok(await importMappings(params.mailing_list_id))
    },

    'DELETE /mailing_lists/:mailing_list_id/import_mappings/:id': async ({ caller, params }) => {
      await writer.run('importMappings.delete', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok(await importMappings(params.mailing_list_id))
    }
  }
})

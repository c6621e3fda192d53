import type { Settings, SettingsChanges } from '../../src-main/settings/schema.ts'
import type { ApiAccess, ApiKey, ApiKeyInput } from '../../src-main/workbench/api-access.ts'
import type { ImportPreview } from '../../src-main/workbench/import-preview.ts'
import type {
  OrganizationSettingChanges,
  OrganizationSettings
} from '../../src-main/workbench/organization.ts'
import type { DryRun } from '../../src-main/workbench/dry-runs.ts'
import type { ImportMapping, MappedColumn } from '../../src-main/workbench/import-mappings/schema.ts'
import type { ImportUndo } from '../../src-main/workbench/import-undos.ts'
import type { ImportOutcome, SubscriberImportInput } from './subscriber-imports.ts'
import { ApiFailure, callWorkbench } from './client.ts'

export type { ApiKey, ApiAccess, DryRun, ImportMapping, ImportPreview, ImportUndo, MappedColumn }
export type FileFormatChoice = ImportPreview['file_format']

export function fetchApiAccess(): Promise<ApiAccess> {
  return callWorkbench('/api_access')
}

/** @returns the key, which can be shown only now */
export async function createApiKey(key: ApiKeyInput): Promise<string> {
  return (await callWorkbench<{ api_key: string }>('/api_keys', { method: 'POST', body: key })).api_key
}

/** Those that this user may revoke, the newest first. */
export function fetchApiKeys(): Promise<ApiKey[]> {
  return callWorkbench('/api_keys')
}

export function revokeApiKey(id: number): Promise<null> {
  return callWorkbench(`/api_keys/${id}`, { method: 'DELETE' })
}

export function fetchSettings(): Promise<Settings> {
  return callWorkbench('/settings')
}

export function updateSettings(changes: SettingsChanges): Promise<Settings> {
  return callWorkbench('/settings', { method: 'PUT', body: changes })
}

export function fetchOrganizationSettings(): Promise<OrganizationSettings> {
  return callWorkbench('/organization')
}

export function updateOrganizationSettings(
  settings: OrganizationSettingChanges
): Promise<OrganizationSettings> {
  return callWorkbench('/organization', { method: 'PUT', body: settings })
}

/** Downloads a file into the upload directory. @returns the name under which the file is there */
export async function downloadUpload(url: string, signal: AbortSignal): Promise<string> {
  const answer = await callWorkbench<{ filename: string }>('/url_uploads', {
    method: 'POST',
    body: { url },
    signal
  })
  return answer.filename
}

export function previewImport(
  listId: number,
  filename: string,
  fileFormat: Partial<FileFormatChoice>
): Promise<ImportPreview> {
  return callWorkbench(`/mailing_lists/${listId}/import_preview`, {
    method: 'POST',
    body: { filename, file_format: fileFormat }
  })
}

/** What a dry run needs to know: the settings of the import, its file, and the fields that it would begin with creating. */
export type DryRunInput = Partial<Omit<SubscriberImportInput, 'file_source'>> &
  Pick<SubscriberImportInput, 'column_mapping'> & {
    filename: string
    new_custom_fields: { name: string; field_type: string }[]
  }

export function startDryRun(listId: number, input: DryRunInput): Promise<DryRun> {
  return callWorkbench(`/mailing_lists/${listId}/dry_runs`, { method: 'POST', body: input })
}

export function fetchDryRun(id: string): Promise<DryRun> {
  return callWorkbench(`/dry_runs/${id}`)
}

export async function removeDryRun(id: string): Promise<void> {
  await callWorkbench(`/dry_runs/${id}`, { method: 'DELETE' })
}

/** Where a log of a dry run is downloaded. */
export function dryRunLogAddress(id: string, log: ImportOutcome): string {
  return `/app/v1/dry_runs/${id}/logs/${log}${log === 'failed' ? '?escape_formulas=1' : ''}`
}

export function fetchImportUndo(importId: number): Promise<ImportUndo> {
  return callWorkbench(`/subscriber_imports/${importId}/undo`)
}

export function undoImport(importId: number): Promise<ImportUndo> {
  return callWorkbench(`/subscriber_imports/${importId}/undo`, { method: 'POST' })
}

/** Where the list of the subscribers is downloaded whom an undoing left as they are. */
export function keptSubscribersAddress(importId: number): string {
  return `/app/v1/subscriber_imports/${importId}/undo/kept`
}

export function fetchImportMappings(listId: number): Promise<ImportMapping[]> {
  return callWorkbench(`/mailing_lists/${listId}/import_mappings`)
}

/** Saves a mapping, in place of one of the same name. @returns all mappings of the list */
export function saveImportMapping(
  listId: number,
  mapping: Omit<ImportMapping, 'id'>
): Promise<ImportMapping[]> {
  return callWorkbench(`/mailing_lists/${listId}/import_mappings`, { method: 'PUT', body: mapping })
}

export function deleteImportMapping(listId: number, id: number): Promise<ImportMapping[]> {
  return callWorkbench(`/mailing_lists/${listId}/import_mappings/${id}`, { method: 'DELETE' })
}

/** Remembers where columns went, to suggest it for the next file with the same headers. */
export async function rememberColumns(listId: number, columns: MappedColumn[]): Promise<void> {
  await callWorkbench(`/mailing_lists/${listId}/remembered_columns`, { method: 'PUT', body: { columns } })
}

/**
 * Copies a file into the upload directory. fetch tells nothing of the progress of an upload; XMLHttpRequest does.
 * @param onProgress called with the part that is done, 0 to 1
 * @returns the name under which the file is there
 */
export function uploadFile(
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', `/app/v1/uploads/${encodeURIComponent(file.name)}`)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () => {
      const answer = request.response as {
        success: boolean
        data: { filename: string }
        error_message: string
      } | null
      if (answer?.success) resolve(answer.data.filename)
      else reject(new ApiFailure('internal_error', answer?.error_message ?? 'The file could not be copied.'))
    }
    request.onerror = () =>
      reject(new ApiFailure('unreachable', 'The file could not be copied: Listwright does not answer.'))
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}

import type { Settings, SettingsChanges } from '../../src-main/settings/schema.ts'
import type { ApiAccess } from '../../src-main/workbench/api-access.ts'
import type { ImportPreview } from '../../src-main/workbench/import-preview.ts'
import type { OrganizationSettings } from '../../src-main/workbench/organization.ts'
import { ApiFailure, callWorkbench } from './client.ts'

export type { ApiAccess, ImportPreview }
export type FileFormatChoice = ImportPreview['file_format']

export function fetchApiAccess(): Promise<ApiAccess> {
  return callWorkbench('/api_access')
}

/** @returns the key, which can be shown only now */
export async function createApiKey(name: string): Promise<string> {
  return (await callWorkbench<{ api_key: string }>('/api_keys', { method: 'POST', body: { name } })).api_key
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

export function updateOrganizationSettings(settings: OrganizationSettings): Promise<OrganizationSettings> {
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

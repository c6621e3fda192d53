import { i18n } from '../i18n.ts'
import type { AnswerOf, Given } from '../../src-main/http/endpoint.ts'
import type { FailureEnvelope } from '../../src-main/http/envelope.ts'
import type { Settings, SettingsChanges } from '../../src-main/settings/schema.ts'
import type {
  ApiAccess,
  apiAccessEndpoints,
  ApiKey,
  ApiKeyInput
} from '../../src-main/workbench/api-access/endpoints.ts'
import type { DryRun, dryRunEndpoints } from '../../src-main/workbench/dry-runs/endpoints.ts'
import type { ImportUndo, importUndoEndpoints } from '../../src-main/workbench/import-undos/endpoints.ts'
import type {
  OrganizationSettingChanges,
  organizationSettingEndpoints,
  OrganizationSettings
} from '../../src-main/workbench/organization/endpoints.ts'
import type { settingsEndpoints } from '../../src-main/workbench/settings/endpoints.ts'
import type { uploadEndpoints } from '../../src-main/workbench/uploads/endpoints.ts'
import type { urlUploadEndpoints } from '../../src-main/workbench/url-uploads/endpoints.ts'
import type { importMappingEndpoints } from '../../src-main/workbench/import-mappings/endpoints.ts'
import type { ImportMapping } from '../../src-main/workbench/import-mappings/schema.ts'
import type { ImportOutcome } from './subscriber-imports.ts'
import { ApiFailure, type RecordVersion, sessionHeaders, windowCalls } from './client.ts'

export type { OrganizationSettings, Settings }
export type { ApiKey, ApiAccess, DryRun, ImportMapping, ImportUndo }

const access = windowCalls<typeof apiAccessEndpoints>()
const settings = windowCalls<typeof settingsEndpoints>()
const organization = windowCalls<typeof organizationSettingEndpoints>()
const uploads = windowCalls<typeof urlUploadEndpoints>()
const files = windowCalls<typeof uploadEndpoints>()
const dryRuns = windowCalls<typeof dryRunEndpoints>()
const undos = windowCalls<typeof importUndoEndpoints>()
const mappings = windowCalls<typeof importMappingEndpoints>()

export function fetchApiAccess(): Promise<ApiAccess> {
  return access.call('GET /api_access')
}

/** @returns the key, which can be shown only now */
export async function createApiKey(key: ApiKeyInput): Promise<string> {
  return (await access.call('POST /api_keys', { body: key })).api_key
}

/** The keys that this user may revoke, newest first. */
export function fetchApiKeys(): Promise<ApiKey[]> {
  return access.call('GET /api_keys')
}

export async function revokeApiKey(id: number): Promise<void> {
  await access.call('DELETE /api_keys/:id', { params: { id } })
}

export function fetchSettings(version?: RecordVersion): Promise<Settings> {
  return settings.call('GET /settings', { version })
}

export function updateSettings(changes: SettingsChanges, version?: RecordVersion): Promise<Settings> {
  return settings.call('PUT /settings', { body: changes, version })
}

export function fetchOrganizationSettings(version?: RecordVersion): Promise<OrganizationSettings> {
  return organization.call('GET /organization', { version })
}

export function updateOrganizationSettings(
  changes: OrganizationSettingChanges,
  version?: RecordVersion
): Promise<OrganizationSettings> {
  return organization.call('PUT /organization', { body: changes, version })
}

/** Downloads a file into the upload directory. @returns the name under which the file is there */
export async function downloadUpload(url: string, signal: AbortSignal): Promise<string> {
  return (await uploads.call('POST /url_uploads', { body: { url }, signal })).filename
}

/** The settings of a dry run: the file, how it is read, and how its rows are applied. */
export type NewDryRun = Given<
  (typeof dryRunEndpoints)['endpoints']['POST /mailing_lists/:mailing_list_id/dry_runs']['body']
>

export function startDryRun(listId: number, input: NewDryRun): Promise<DryRun> {
  return dryRuns.call('POST /mailing_lists/:mailing_list_id/dry_runs', {
    params: { mailing_list_id: listId },
    body: input
  })
}

export function fetchDryRun(id: string): Promise<DryRun> {
  return dryRuns.call('GET /dry_runs/:id', { params: { id } })
}

export async function removeDryRun(id: string): Promise<void> {
  await dryRuns.call('DELETE /dry_runs/:id', { params: { id } })
}

export function dryRunLogAddress(id: string, log: ImportOutcome): string {
  const query = log === 'failed' ? { escape_formulas: true } : {}
  return dryRuns.address('GET /dry_runs/:id/logs/:log', { params: { id, log }, query })
}

export function fetchImportUndo(importId: number): Promise<ImportUndo> {
  return undos.call('GET /subscriber_imports/:id/undo', { params: { id: importId } })
}

export function undoImport(importId: number): Promise<ImportUndo> {
  return undos.call('POST /subscriber_imports/:id/undo', { params: { id: importId } })
}

/** The address of the list of subscribers that an undo skipped. */
export function keptSubscribersAddress(importId: number): string {
  return undos.address('GET /subscriber_imports/:id/undo/kept', { params: { id: importId } })
}

export function fetchImportMappings(listId: number): Promise<ImportMapping[]> {
  return mappings.call('GET /mailing_lists/:mailing_list_id/import_mappings', {
    params: { mailing_list_id: listId }
  })
}

/** Saves a mapping, in place of one of the same name. @returns all mappings of the list */
export function saveImportMapping(
  listId: number,
  mapping: Omit<ImportMapping, 'id'>
): Promise<ImportMapping[]> {
  return mappings.call('PUT /mailing_lists/:mailing_list_id/import_mappings', {
    params: { mailing_list_id: listId },
    body: mapping
  })
}

export function deleteImportMapping(listId: number, id: number): Promise<ImportMapping[]> {
  return mappings.call('DELETE /mailing_lists/:mailing_list_id/import_mappings/:id', {
    params: { mailing_list_id: listId, id }
  })
}

type UploadAnswer = AnswerOf<(typeof uploadEndpoints)['endpoints']['PUT /uploads/:filename']>

function asFailure(answer: FailureEnvelope | null): ApiFailure {
  if (answer === null) return new ApiFailure('internal_error', i18n.global.t('connection.fileNotCopied'))
  return new ApiFailure(answer.error_code, answer.faults ?? answer.error_message)
}

/**
 * Uploads a file with XMLHttpRequest, since fetch does not report upload progress.
 * @param onProgress called with the share that is done, 0 to 1
 * @returns the file's name in the upload directory
 */
export function uploadFile(
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', files.address('PUT /uploads/:filename', { params: { filename: file.name } }))
    for (const [name, value] of Object.entries(sessionHeaders())) request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () => {
      const answer = request.response as (UploadAnswer & { success: true }) | FailureEnvelope | null
      if (answer?.success) resolve(answer.data.filename)
      else reject(asFailure(answer))
    }
    request.onerror = () =>
      reject(new ApiFailure('unreachable', i18n.global.t('connection.silentWhileCopying')))
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    request.send(file)
  })
}

import { ref } from 'vue'
import type { ErrorCode } from '../../src-main/base/errors.ts'
import { i18n } from '../i18n.ts'

/** A call that the application refused; the message is a sentence for the user. */
export class ApiFailure extends Error {
  readonly code: ErrorCode | 'unreachable'

  constructor(code: ErrorCode | 'unreachable', message: string) {
    super(message)
    this.name = 'ApiFailure'
    this.code = code
  }
}

/** True once a call was refused because this window is not signed in. */
export const signedOut = ref(false)

interface Envelope<Data> {
  success: boolean
  data: Data
  error_code: ErrorCode | null
  error_message: string | null
}

export interface Page<Item> extends Envelope<Item[]> {
  page: number
  per_page: number
  num_records: number
  num_pages: number
}

interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/** Calls the v2 API and answers its data. @throws ApiFailure */
export async function call<Data>(path: string, options: RequestOptions = {}): Promise<Data> {
  return (await send<Envelope<Data>>(`/ga/api/v2${path}`, options)).data
}

/** One page of a list of the v2 API. @throws ApiFailure */
export function callPage<Item>(path: string, signal?: AbortSignal): Promise<Page<Item>> {
  return send<Page<Item>>(`/ga/api/v2${path}`, signal ? { signal } : {})
}

/** Calls what only this window uses. @throws ApiFailure */
export async function callWorkbench<Data>(path: string, options: RequestOptions = {}): Promise<Data> {
  return (await send<Envelope<Data>>(`/app/v1${path}`, options)).data
}

async function send<Answer extends Envelope<unknown>>(
  path: string,
  options: RequestOptions
): Promise<Answer> {
  const { method = 'GET', body, signal } = options
  const { answer, status } = await readAnswer<Answer>(
    fetch(path, {
      method,
      ...(signal && { signal }),
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' }
      })
    })
  )
  if (answer.success) return answer
  if (status === 401) signedOut.value = true
  throw new ApiFailure(answer.error_code ?? 'internal_error', sentence(answer.error_message ?? ''))
}

async function readAnswer<Answer>(request: Promise<Response>): Promise<{ answer: Answer; status: number }> {
  try {
    const response = await request
    return { answer: (await response.json()) as Answer, status: response.status }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiFailure('unreachable', 'Listwright does not answer. Is it still running?')
  }
}

/** Messages of the API begin with the name of a field; here they stand on their own, with the label that the field has. */
function sentence(message: string): string {
  const labelled = message.replaceAll(/(?<=^|, )[a-z_]+\d?/g, (field) => {
    const key = [`listForm.${field}`, `fieldLabel.${field}`].find((each) => i18n.global.te(each))
    return key === undefined ? field : i18n.global.t(key)
  })
  const text = labelled.charAt(0).toUpperCase() + labelled.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The path of a query such as `?page=2&per_page=100`. */
export function query(parameters: Record<string, string | number>): string {
  const entries = Object.entries(parameters).map(([name, value]) => [name, String(value)])
  return `?${new URLSearchParams(entries)}`
}

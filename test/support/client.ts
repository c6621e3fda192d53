import { setTimeout as pause } from 'node:timers/promises'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'

/** An answer of the API as a test sees it. */
export interface Answer<Data = unknown> {
  status: number
  headers: Headers
  success: boolean
  data: Data
  error_code: string | null
  error_message: string | null
  page?: number
  per_page?: number
  num_records?: number
  num_pages?: number
  next_page_token?: string | null
}

/** A program that uses the API with a key. */
export class Client {
  readonly baseUrl: string
  readonly authorization: string

  constructor(baseUrl: string, authorization: string) {
    this.baseUrl = baseUrl
    this.authorization = authorization
  }

  raw(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: this.authorization, ...(init.headers as Record<string, string>) }
    return fetch(this.baseUrl + path, { redirect: 'manual', ...init, headers })
  }

  get<Data>(path: string): Promise<Answer<Data>> {
    return this.#call('GET', path)
  }

  post<Data>(path: string, body?: unknown): Promise<Answer<Data>> {
    return this.#call('POST', path, body)
  }

  put<Data>(path: string, body: unknown): Promise<Answer<Data>> {
    return this.#call('PUT', path, body)
  }

  delete<Data>(path: string): Promise<Answer<Data>> {
    return this.#call('DELETE', path)
  }

  /** Waits until an import has ended, whatever its end is; at most so many milliseconds. */
  async imported(id: number, longest = 120_000): Promise<SubscriberImport> {
    return this.#ended(`/subscriber_imports/${id}`, longest)
  }

  /** Waits until an export has ended, whatever its end is; at most so many milliseconds. */
  async exported(id: number, longest = 120_000): Promise<SubscriberExport> {
    return this.#ended(`/subscriber_exports/${id}`, longest)
  }

  /** Waits until a campaign has ended, whatever its end is; at most so many milliseconds. */
  async sent(id: number, longest = 120_000): Promise<CampaignDetail> {
    for (const began = performance.now(); performance.now() - began < longest; await pause(30)) {
      const { data } = await this.get<CampaignDetail>(`/campaigns/${id}`)
      if (['finished', 'failed', 'cancelled'].includes(data.dispatch?.state ?? '')) return data
    }
    throw new Error(`campaign ${id} did not end`)
  }

  async #ended<Job extends { state: string }>(path: string, longest: number): Promise<Job> {
    for (const began = performance.now(); performance.now() - began < longest; await pause(30)) {
      const { data } = await this.get<Job>(path)
      if (['finished', 'failed', 'cancelled'].includes(data.state)) return data
    }
    throw new Error(`${path} did not end`)
  }

  /** Calls an endpoint of the window's API (/app/v1), which also accepts an API key. */
  workbench<Data>(method: string, path: string, body?: unknown): Promise<Answer<Data>> {
    return this.#callAt('/app/v1', method, path, body)
  }

  #call<Data>(method: string, path: string, body?: unknown): Promise<Answer<Data>> {
    return this.#callAt('/ga/api/v2', method, path, body)
  }

  async #callAt<Data>(base: string, method: string, path: string, body: unknown): Promise<Answer<Data>> {
    const response = await this.raw(base + path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' }
      })
    })
    const envelope = (await response.json()) as Omit<Answer<Data>, 'status' | 'headers'>
    return { ...envelope, status: response.status, headers: response.headers }
  }
}

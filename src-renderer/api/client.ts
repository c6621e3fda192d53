import type { TSchema } from 'typebox'
import { ref } from 'vue'
import type { ErrorCode } from '../../src-main/base/errors.ts'
import { type Refusal, refusal } from '../../src-main/base/refusal.ts'
import type {
  AnswerOf,
  Endpoint,
  EndpointGroup,
  EndpointName,
  Endpoints,
  GivenTo
} from '../../src-main/http/endpoint.ts'
import { i18n } from '../i18n.ts'
import { refusalSentence } from './refusal-text.ts'

/** A call that the application refused; the message is a sentence for the user. */
export class ApiFailure extends Error {
  readonly code: ErrorCode | 'unreachable'
  readonly refusals: readonly Refusal[]

  constructor(code: ErrorCode | 'unreachable', reasons: readonly Refusal[] | string) {
    const refusals = typeof reasons === 'string' ? [refusal('said', { text: reasons })] : reasons
    super([...new Set(refusals.map(refusalSentence))].join(' '))
    this.name = 'ApiFailure'
    this.code = code
    this.refusals = refusals
  }
}

/** Returns the answer of a call, or a substitute without the permission. */
export async function ifPermitted<Data>(answer: Promise<Data>, otherwise: Data): Promise<Data> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'not_authorized') return otherwise
    throw error
  }
}

/** True once a call was refused because this window is not signed in. */
export const signedOut = ref(false)

interface Envelope<Data> {
  success: boolean
  data: Data
  error_code: ErrorCode | null
  error_message: string | null
  /** The refusals in error_message, for windows only. */
  faults?: Refusal[]
}

/** An answer that is a page of a list. */
export interface Page<Item> extends Envelope<Item[]> {
  page: number
  per_page: number
  num_records: number
  num_pages: number
}

/** Stored per origin, which programs on other ports cannot read. */
const sessionKey = 'listwright-session'

/** Sets the session of this window and others of the same browser; null = none. */
export function storeSession(session: string | null): void {
  if (session === null) localStorage.removeItem(sessionKey)
  else localStorage.setItem(sessionKey, session)
}

/**
 * Headers with the session. Cookies are not used: browsers send them to other programs on this computer too.
 */
export function sessionHeaders(): Record<string, string> {
  const session = localStorage.getItem(sessionKey)
  return session === null ? {} : { Authorization: `Bearer ${session}` }
}

/**
 * The version of a record as it was read. Reading stores it; a change sends it, and is refused with
 * "conflict" if the record was changed since.
 */
export class RecordVersion {
  lastChange: string | null = null
}

type Options<Of extends Endpoint> = GivenTo<Of> & {
  signal?: AbortSignal
  headers?: Record<string, string>
  version?: RecordVersion | undefined
}
type Arguments<Of extends Endpoint> =
  object extends Options<Of> ? [given?: Options<Of>] : [given: Options<Of>]

type Answering<Of extends Endpoints> = {
  [Name in keyof Of]: Of[Name] extends { answer: TSchema } ? Name : never
}[keyof Of] &
  EndpointName

/** The calls of a group of endpoints, by their names, with the types of their schemas. */
export interface Calls<Of extends Endpoints> {
  /**
   * Calls an endpoint and returns its data.
   * @throws ApiFailure
   */
  call: <Name extends Answering<Of>>(
    name: Name,
    ...given: Arguments<Of[Name]>
  ) => Promise<AnswerOf<Of[Name]>['data']>
  /**
   * Calls an endpoint and returns its data with the paging.
   * @throws ApiFailure
   */
  page: <Name extends Answering<Of>>(name: Name, ...given: Arguments<Of[Name]>) => Promise<AnswerOf<Of[Name]>>
  /** The address of a download. */
  address: <Name extends keyof Of & EndpointName>(name: Name, ...given: Arguments<Of[Name]>) => string
}

/** Calls of the v2 API. */
export function apiCalls<Group extends EndpointGroup>(): Calls<Group['endpoints']> {
  return callsUnder('/ga/api/v2')
}

export function windowCalls<Group extends EndpointGroup>(): Calls<Group['endpoints']> {
  return callsUnder('/app/v1')
}

interface AnyOptions {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
  headers?: Record<string, string>
  version?: RecordVersion | undefined
}

// The types of arguments and answers follow from the names of the calls, which only the compiler knows; hence
// the cast.
function callsUnder<Of extends Endpoints>(base: string): Calls<Of> {
  const call = (name: EndpointName, given: AnyOptions = {}): Promise<Envelope<unknown>> =>
    send(name.split(' ')[0] ?? '', pathOf(base, name, given), given)
  const calls = {
    call: async (name: EndpointName, given?: AnyOptions) => (await call(name, given)).data,
    page: call,
    address: (name: EndpointName, given?: AnyOptions) => pathOf(base, name, given)
  }
  return calls as unknown as Calls<Of>
}

function required(params: Record<string, string | number>, key: string): string | number {
  const value = params[key]
  if (value === undefined) throw new Error(`:${key} of the path is missing`)
  return value
}

function pathOf(base: string, name: EndpointName, { params = {}, query = {} }: AnyOptions = {}): string {
  const [, pattern = ''] = name.split(' ')
  const path = pattern.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(required(params, key)))
  const asked = Object.entries(query).map(([key, value]) => [key, String(value)])
  return base + path + (asked.length > 0 ? `?${new URLSearchParams(asked)}` : '')
}

async function send(
  method: string,
  path: string,
  { body, signal, version, headers = {} }: AnyOptions
): Promise<Envelope<unknown>> {
  const isRead = method === 'GET'
  const { answer, status, lastChange } = await readAnswer(
    fetch(path, {
      method,
      credentials: 'omit',
      headers: {
        ...sessionHeaders(),
        ...headers,
        ...(!isRead && version?.lastChange && { 'X-Unchanged-Since': version.lastChange }),
        // Files are sent as they are, everything else as JSON.
        ...(body !== undefined && !(body instanceof Blob) && { 'Content-Type': 'application/json' })
      },
      ...(signal && { signal }),
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) })
    })
  )
  if (isRead && version) version.lastChange = lastChange
  if (answer.success) return answer
  if (status === 401) signedOut.value = true
  throw new ApiFailure(answer.error_code ?? 'internal_error', answer.faults ?? answer.error_message ?? '')
}

async function readAnswer(
  request: Promise<Response>
): Promise<{ answer: Envelope<unknown>; status: number; lastChange: string | null }> {
  try {
    const response = await request
    return {
      answer: (await response.json()) as Envelope<unknown>,
      status: response.status,
      lastChange: response.headers.get('X-Last-Change')
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiFailure('unreachable', i18n.global.t('connection.silent'))
  }
}

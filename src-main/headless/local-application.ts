import { ApiError, ExplainedError, joinRefusals } from '../base/errors.ts'
import type { Refusal } from '../base/refusal.ts'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { apiKeysOf } from '../api/accounts/queries.ts'
import { systemOrganizationId } from '../api/organizations/rules.ts'
import { createApp } from '../app.ts'
import { addressPathIn } from '../app-data.ts'
import { basicAuthorization } from '../base/basic-authorization.ts'
import { DirectoryInUse } from '../database/instance-lock.ts'
import { openDataDirectory } from './data-directory.ts'

type Call = <Data>(method: Method, path: string, body?: object | null, signal?: AbortSignal) => Promise<Data>
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The application that has the data: the one that runs, or one that this program starts for as long as it needs it. */
export interface LocalApplication {
  /** Calls what the window uses. @throws Error with the sentence that the application answered */
  call: Call
  /** Calls the v2 API, as {@link call}. */
  callApi: Call
  /** Puts a copy of a file into the upload directory. @returns its name there */
  upload: (path: string) => Promise<string>
}

const keyName = `Command line (process ${process.pid})`

/**
 * Works with the application that has the data, so that the rules and the order of its writing hold here as well.
 * @param only the job that it does where this program starts it
 */
export async function withApplication<Result>(
  dataDirectory: string,
  only: 'syncs' | 'imports',
  work: (application: LocalApplication) => Promise<Result>
): Promise<Result> {
  const app = await createApp({ dataDirectory, port: 0, only }).catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return null
    throw error
  })
  if (!app) return besideRunning(dataDirectory, work)
  try {
    return await work(callerOf(app.baseUrl, await app.createPassingApiKey(keyName), systemOrganizationId))
  } finally {
    await app.close()
  }
}

/** Works with the application that runs. @throws Error with a sentence for the user where none does any more */
export async function besideRunning<Result>(
  directory: string,
  work: (application: LocalApplication) => Promise<Result>,
  organizationId = systemOrganizationId
): Promise<Result> {
  const dataDirectory = resolve(directory)
  const path = addressPathIn(dataDirectory)
  if (!existsSync(path)) {
    throw new Error(
      `Listwright is starting or shutting down with the data in ${dataDirectory}. Try again in a moment.`
    )
  }
  const baseUrl = readFileSync(path, 'utf8').trim()
  const data = openDataDirectory(dataDirectory)
  try {
    const key = await data.write(async (writer) =>
      writer.run('accounts.createApiKey', {
        organizationId,
        userId: await writer.run('accounts.ensureSystemOrganization', undefined),
        name: keyName,
        endsWithProcess: true
      })
    )
    const keys = await apiKeysOf(data.reader, organizationId, null)
    const { id = 0 } = keys.find(({ name }) => name === keyName) ?? {}
    try {
      return await work(callerOf(baseUrl, key, organizationId))
    } finally {
      const revoked = { organizationId, userId: null, mayRevokeSystemAdmins: true, id }
      await data
        .write((writer) => writer.run('accounts.revokeApiKey', revoked))
        .catch((error: unknown) => {
          // An application that closes removes such keys itself.
          if (!(error instanceof ApiError && error.code === 'not_found')) throw error
        })
    }
  } finally {
    await data.close()
  }
}

function callerOf(baseUrl: string, key: string, organizationId: number): LocalApplication {
  const authorization = basicAuthorization(organizationId, key)
  const callAt =
    (base: string): Call =>
    <Data>(method: Method, path: string, body: object | null = null, signal?: AbortSignal) =>
      answerOf<Data>(baseUrl + base + path, {
        method,
        ...(signal && { signal }),
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null
      })
  return {
    call: callAt('/app/v1'),
    callApi: callAt('/ga/api/v2'),
    upload: async (path) => {
      const { filename } = await answerOf<{ filename: string }>(
        `${baseUrl}/app/v1/uploads/${encodeURIComponent(basename(path))}`,
        {
          method: 'PUT',
          headers: { authorization, 'content-type': 'application/octet-stream' },
          body: createReadStream(path)
        }
      )
      return filename
    }
  }
}

interface LocalRequest {
  method: Method
  headers: Record<string, string>
  body: string | Readable | null
  signal?: AbortSignal
}

/** @throws Error with the sentence that the application answered */
async function answerOf<Data>(address: string, request: LocalRequest): Promise<Data> {
  const { request: send } = await import('undici')
  // A complete comparison of both sides may take longer than the usual timeout.
  const response = await send(address, { ...request, headersTimeout: 0, bodyTimeout: 0 })
  const answer = (await response.body.json()) as {
    success: boolean
    data: Data
    error_message: string | null
    faults?: Refusal[]
  }
  if (!answer.success && answer.faults) throw new ExplainedError(joinRefusals(answer.faults))
  if (!answer.success)
    throw new Error(answer.error_message ?? 'The application refused the request without giving a reason.')
  return answer.data
}

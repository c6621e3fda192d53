import { kyselyOver, openForReading } from '../database/connection.ts'
import { CommandClient } from '../database/writer.ts'
import { RemoteApi, type RemoteOptions } from './remote-api.ts'
import { emptyResult, type Run } from './run-context.ts'
import type { RemoteSettings } from './schema.ts'
import { databasePathIn } from '../database/database-path.ts'

/** The input of a comparison of both sides. */
export interface LookInput {
  dataDirectory: string
  /** 0 = not stored yet. */
  remoteId: number
  organizationId: number
  timeZone: string
  baseUrl: string
  remoteOrganizationId: number
  apiKey: string
  settings: RemoteSettings
}

/** Runs a comparison that cannot change either side. */
export async function withReadOnlyRun<Result>(
  input: LookInput,
  options: RemoteOptions,
  look: (run: Run) => Promise<Result>
): Promise<Result> {
  const api = new RemoteApi(
    {
      baseUrl: input.baseUrl,
      organizationId: input.remoteOrganizationId,
      apiKey: input.apiKey,
      requestsPerSecond: input.settings.requests_per_second
    },
    options
  )
  const reader = kyselyOver(openForReading(databasePathIn(input.dataDirectory)))
  const refuse = (): never => {
    throw new Error('a look at both sides changes nothing')
  }
  try {
    return await look({
      remoteId: input.remoteId,
      organizationId: input.organizationId,
      timeZone: input.timeZone,
      rules: input.settings,
      mailingListIds: input.settings.mailing_list_ids,
      answers: [],
      api,
      client: new CommandClient({ postMessage: refuse }),
      reader,
      signal: options.signal,
      result: emptyResult(),
      refused: new Map()
    })
  } finally {
    await api.close()
    await reader.destroy()
  }
}

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { systemOrganizationId } from '../api/accounts/commands.ts'
import { type ApiKeyRow, apiKeysOf } from '../api/accounts/queries.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { newestSchema } from '../database/migrate.ts'
import { Writer } from '../database/writer.ts'
import { formatOptionalTime, formatTime } from '../times.ts'
import { defaultDataDirectory } from './arguments.ts'

// `npm run serve -- key …`: the API keys of the System Organization's admin, whether or not the application runs.

/** @param args what follows `key` on the command line. @throws Error with a sentence for the user */
export async function manageKeys(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'data-dir': { type: 'string', default: defaultDataDirectory() } }
  })
  const [action, ...rest] = positionals
  const text = rest.join(' ').trim()
  const database = openDatabase(resolve(values['data-dir']))
  switch (action) {
    case 'list':
      return print((await database.keys()).map(lineOf))
    case 'create': {
      if (text === '') throw new Error('key create needs a name for the key, such as: key create "CRM sync"')
      const key = await database.create(text)
      return print([key, `Send it as: curl -u ${systemOrganizationId}:${key} …  It cannot be shown again.`])
    }
    case 'revoke': {
      const id = Number(text)
      const key = (await database.keys()).find((each) => each.id === id)
      if (!key)
        throw new Error(`key revoke needs the id of a key that "key list" shows, and "${text}" is none`)
      await database.revoke(id)
      return print([`"${key.name}" is revoked.`])
    }
    default:
      throw new Error('key is followed by create NAME, list, or revoke ID')
  }
}

function print(lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** id, name, when it was made and when it was used last, with tabs between them. */
function lineOf({ id, name, createdAt, lastUsedAt }: ApiKeyRow): string {
  return [id, name, formatTime(createdAt, 'UTC'), formatOptionalTime(lastUsedAt, 'UTC') ?? 'never used'].join(
    '\t'
  )
}

/** @throws Error with a sentence for the user where there is no data, or it is another version's */
function openDatabase(dataDirectory: string) {
  const databasePath = join(dataDirectory, 'listwright.db')
  if (!existsSync(databasePath)) {
    throw new Error(
      `There is no data in ${dataDirectory} yet. Start the application there once, or give --data-dir.`
    )
  }
  const connection = openForReading(databasePath)
  const version = connection.pragma('user_version', { simple: true })
  connection.close()
  if (version !== newestSchema) {
    throw new Error('The data was written by another version. Start this one there once, or use that one.')
  }
  const write = async <Result>(
    work: (writer: Writer, userId: number) => Promise<Result>
  ): Promise<Result> => {
    // Beside an application that runs, its writer and this one wait for each other.
    const writer = await Writer.start({ databasePath, backupDirectory: join(dataDirectory, 'backups') })
    try {
      return await work(writer, await writer.run('ensureSystemOrganization', undefined))
    } finally {
      await writer.close()
    }
  }
  return {
    keys: async (): Promise<ApiKeyRow[]> => {
      const reader = kyselyOver(openForReading(databasePath))
      try {
        return await apiKeysOf(reader, systemOrganizationId, null)
      } finally {
        await reader.destroy()
      }
    },
    create: (name: string) =>
      write((writer, userId) =>
        writer.run('createApiKey', { organizationId: systemOrganizationId, userId, name })
      ),
    revoke: (id: number) =>
      write((writer) =>
        writer.run('revokeApiKey', { organizationId: systemOrganizationId, userId: null, id })
      )
  }
}

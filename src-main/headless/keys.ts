import type { Kysely } from 'kysely'
import { parseArgs } from 'node:util'
import { systemOrganizationId } from '../api/organizations/rules.ts'
import { type ApiKeyRow, apiKeysOf } from '../api/accounts/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { userByEmail } from '../api/users/queries.ts'
import type { Schema } from '../database/schema.ts'
import { formatOptionalTime, formatTime } from '../base/times.ts'
import { defaultDataDirectory } from './arguments.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'

// `npm run serve -- key …`: the API keys of an organization, whether or not the application runs.

/** @param args what follows `key` on the command line. @throws Error with a sentence for the user */
export async function manageKeys(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string', default: defaultDataDirectory() },
      organization: { type: 'string', default: String(systemOrganizationId) },
      user: { type: 'string' }
    }
  })
  const [action, ...rest] = positionals
  const text = rest.join(' ').trim()
  const data = openDataDirectory(values['data-dir'])
  try {
    const { id: organizationId } = await organizationById(data.reader, Number(values.organization) || 0)
    switch (action) {
      case 'list':
        return print((await apiKeysOf(data.reader, organizationId, null)).map(lineOf))
      case 'create':
        return print(await create(data, organizationId, text, values.user))
      case 'revoke':
        return print(await revoke(data, organizationId, text))
      default:
        throw new Error('key is followed by create NAME, list, or revoke ID')
    }
  } finally {
    await data.close()
  }
}

/** @param email of the key's user; undefined = the System Organization's administrator */
async function create(
  data: DataDirectory,
  organizationId: number,
  name: string,
  email: string | undefined
): Promise<string[]> {
  if (name === '') throw new Error('key create needs a name for the key, such as: key create "CRM sync"')
  const userId = email === undefined ? undefined : await idOfUser(data.reader, email)
  const key = await data.write(async (writer) =>
    writer.run('accounts.createApiKey', {
      organizationId,
      userId: userId ?? (await writer.run('accounts.ensureSystemOrganization', undefined)),
      name
    })
  )
  return [key, `Send it as: curl -u ${organizationId}:${key} …  It cannot be shown again.`]
}

async function idOfUser(db: Kysely<Schema>, email: string): Promise<number> {
  const user = await userByEmail(db, email)
  if (!user) throw new Error(`--user needs the email of a user, and "${email}" is not one`)
  return user.id
}

async function revoke(data: DataDirectory, organizationId: number, text: string): Promise<string[]> {
  const id = Number(text)
  const key = (await apiKeysOf(data.reader, organizationId, null)).find((each) => each.id === id)
  if (!key)
    throw new Error(`key revoke needs the id of a key that "key list" shows, and "${text}" is not one`)
  await data.write((writer) =>
    writer.run('accounts.revokeApiKey', { organizationId, userId: null, mayRevokeSystemAdmins: true, id })
  )
  return [`"${key.name}" is revoked.`]
}

function print(lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** id, name, whose it is, when it was made and when it was used last, with tabs between them. */
function lineOf({ id, name, userName, createdAt, lastUsedAt }: ApiKeyRow): string {
  const lastUse = formatOptionalTime(lastUsedAt, 'UTC') ?? 'never used'
  return [id, name, userName, formatTime(createdAt, 'UTC'), lastUse].join('\t')
}

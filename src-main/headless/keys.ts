import type { Kysely } from 'kysely'
import { systemOrganizationId } from '../api/organizations/rules.ts'
import { type ApiKeyRow, apiKeysOf } from '../api/accounts/queries.ts'
import { organizationById } from '../api/organizations/queries.ts'
import { userByEmail } from '../api/users/queries.ts'
import { commandLine, requestOrigin } from '../database/origin.ts'
import type { Schema } from '../database/schema.ts'
import { basicAuthorization } from '../base/basic-authorization.ts'
import { formatOptionalTime, formatTime } from '../base/times.ts'
import { answeringCommand, commonUsage, type Printed } from './command.ts'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'

// `listwright key …`: the API keys of an organization, whether or not the application runs.

const usage = `Usage: listwright key create NAME | list | revoke ID [--organization ID] [--user EMAIL]

Works whether or not the application is running.

${commonUsage}  --organization ID  the organization (default: the System Organization)
  --user EMAIL    the user the key is for (default: the system administrator)
`

const options = {
  organization: { type: 'string', default: String(systemOrganizationId) },
  user: { type: 'string' }
} as const

export const keyCommand = answeringCommand(usage, options, async (values, [action, ...rest]) => {
  const text = rest.join(' ').trim()
  const data = openDataDirectory(values['data-dir'])
  try {
    const { id: organizationId } = await organizationById(data.reader, Number(values.organization) || 0)
    switch (action) {
      case 'list':
        return listed(await apiKeysOf(data.reader, organizationId, null))
      case 'create':
        return await create(data, organizationId, text, values.user)
      case 'revoke':
        return await revoke(data, organizationId, text)
      default:
        throw new Error('key needs create NAME, list or revoke ID')
    }
  } finally {
    await data.close()
  }
})

function listed(keys: ApiKeyRow[]): Printed {
  return {
    json: {
      keys: keys.map(({ id, name, userName, createdAt, lastUsedAt }) => ({
        id,
        name,
        user: userName,
        created_at: formatTime(createdAt, 'UTC'),
        last_used_at: formatOptionalTime(lastUsedAt, 'UTC')
      }))
    },
    text: keys.map(lineOf).join('\n')
  }
}

/** @param email of the key's user; undefined = the System Organization's administrator */
async function create(
  data: DataDirectory,
  organizationId: number,
  name: string,
  email: string | undefined
): Promise<Printed> {
  if (name.length > 100 || /\p{Cc}/u.test(name))
    throw new Error('key create needs a name of at most 100 characters, on one line')
  if (name === '') throw new Error('key create needs a name for the key, such as: key create "CRM sync"')
  const userId = email === undefined ? undefined : await idOfUser(data.reader, email)
  const key = await data.write((writer) =>
    requestOrigin.run(commandLine, async () =>
      writer.run('accounts.createApiKey', {
        organizationId,
        userId: userId ?? (await writer.run('accounts.ensureSystemOrganization', undefined)),
        name
      })
    )
  )
  return {
    json: {
      organization_id: organizationId,
      api_key: key,
      authorization: basicAuthorization(organizationId, key)
    },
    text: `${key}\nSend it as: curl -u ${organizationId}:${key} …  It cannot be shown again.`
  }
}

async function idOfUser(db: Kysely<Schema>, email: string): Promise<number> {
  const user = await userByEmail(db, email)
  if (!user) throw new Error(`--user needs the email of a user; there is no user "${email}"`)
  return user.id
}

async function revoke(data: DataDirectory, organizationId: number, text: string): Promise<Printed> {
  const id = Number(text)
  const key = (await apiKeysOf(data.reader, organizationId, null)).find((each) => each.id === id)
  if (!key) throw new Error(`key revoke needs the id of a key from "key list", not "${text}"`)
  const revoked = { organizationId, userId: null, mayRevokeSystemAdmins: true, id }
  await data.write((writer) =>
    requestOrigin.run(commandLine, () => writer.run('accounts.revokeApiKey', revoked))
  )
  return { json: { revoked: id }, text: `"${key.name}" was revoked.` }
}

function lineOf({ id, name, userName, createdAt, lastUsedAt }: ApiKeyRow): string {
  const lastUse = formatOptionalTime(lastUsedAt, 'UTC') ?? 'never used'
  return [id, name, userName, formatTime(createdAt, 'UTC'), lastUse].join('\t')
}

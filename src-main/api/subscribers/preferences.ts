import type { Kysely } from 'kysely'
import { ApiError } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { Command, CommandContext } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import type { ChoosableList, Preferences } from '../../public-pages/preferences.ts'
import { signingSecret } from '../../settings/queries.ts'
import { type PublicList, publicListsOf } from '../list-pages/queries.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { isRemoteList } from '../remote-lists/queries.ts'
import { subscribe } from '../web-forms/sign-up.ts'
import { unsubscribeNamed } from './commands.ts'
import { subscribersNamed, subscriberWithList } from './queries.ts'
import { readToken, type TokenContent } from './tokens.ts'

/** How a visitor chose, and when, in UNIX milliseconds. */
interface Choice {
  preferences: Preferences
  ip: string | null
  at: number
}

/**
 * Returns the lists that the holder of a link may choose: the public ones of the organization, and the one of the message.
 * @returns none if there is nothing to choose but that one
 */
export async function choosableLists(
  db: Kysely<Schema>,
  { subscriberId }: Pick<TokenContent, 'subscriberId'>
): Promise<ChoosableList[]> {
  const row = await subscriberWithList(db, subscriberId)
  if (!row || row.deleted_at !== null) return []
  const lists = await offeredLists(db, row.organization_id, row.mailing_list_id)
  return Promise.all(
    lists.map(async (list) => {
      const known = await subscribersNamed(db, list.id, [{ email: row.email }])
      return { ...list, isOn: known.some(({ status }) => status === 'active') }
    })
  )
}

/** Returns the public lists of an organization and one of its lists; none if that is the only one. */
export async function offeredLists(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number
): Promise<PublicList[]> {
  // Its recipients are no subscribers, who could be on other lists.
  if (await isRemoteList(db, mailingListId)) return []
  const lists = await publicListsOf(db, organizationId)
  if (lists.every(({ id }) => id === mailingListId)) return []
  if (lists.some(({ id }) => id === mailingListId)) return lists
  const own = await localListById(db, organizationId, mailingListId, 'subscribers')
  return [{ id: own.id, name: own.name, description: '' }, ...lists]
}

/** Applies what the holder of a link chose. Lists that are not offered, and those that do not take the address, stay as they are. */
export async function applyPreferences(
  context: CommandContext,
  named: TokenContent,
  { preferences, ip, at }: Choice
): Promise<void> {
  const { db } = context
  const row = await subscriberWithList(db, named.subscriberId)
  if (!row || row.deleted_at !== null) {
    // A list and a subscriber can be restored, and must not get messages then.
    if (Object.values(preferences).includes(false)) await unsubscribeNamed(context, named, { ip, at })
    return
  }
  const { organization_id: organizationId, mailing_list_id: ownListId, email } = row
  for (const { id } of await offeredLists(db, organizationId, ownListId)) {
    const wants = preferences[id]
    const known = await subscribersNamed(db, id, [{ email }])
    const active = known.filter(({ status }) => status === 'active')
    if (wants === false) {
      // On a list with another primary key, several may have the address.
      for (const each of active) {
        const sliceId = each.id === named.subscriberId ? named.sliceId : 0
        await unsubscribeNamed(context, { subscriberId: each.id, sliceId }, { ip, at })
      }
    }
    const isChosen = wants === true && active.length === 0
    // Complaints, and what a user has deactivated, are not taken back by a choice among lists.
    if (!isChosen || known.some(({ status }) => status === 'scomp' || status === 'deactivated')) continue
    const scope = { organizationId, timeZone: row.time_zone_name, mailingListId: id }
    const subscriber = {
      ...{ email, status: 'active' as const, subscribe_time: formatTime(at, 'UTC') },
      ...{
        apply_custom_field_defaults: true,
        skip_autoresponders: false,
        autoresponder_exclude_reacted: false
      },
      ...(ip !== null && { subscribe_ip: ip })
    }
    try {
      await subscribe(context, scope, await localListById(db, organizationId, id, 'subscribers'), subscriber)
    } catch (error) {
      // Such as a list with a required field: it refuses before anything is written.
      if (!(error instanceof ApiError)) throw error
    }
  }
}

/** @returns false for a token that names nobody */
export const setPreferences: Command<
  { token: string; preferences: Preferences; ip: string | null },
  boolean
> = async (context, { token, preferences, ip }) => {
  const named = readToken(await signingSecret(context.db), 'unsubscribe', token)
  if (!named) return false
  await applyPreferences(context, named, { preferences, ip, at: context.now })
  return true
}

export const preferenceCommands = { set: setPreferences }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    preferences: typeof preferenceCommands
  }
}

import { mailingListsOf, presentMailingLists } from '../../api/mailing-lists/queries.ts'
import type { MailingList, MailingListInput } from '../../api/mailing-lists/schema.ts'
import { answers } from '../answers.ts'
import type { Run } from '../run-context.ts'
import type { Content } from './merge-contents.ts'
import type { RecordKind, SyncRecord } from './mirror-records.ts'
import { requireName } from './require-name.ts'

/** A remote list with the attributes that an update must repeat. */
export interface TheirList extends SyncRecord {
  answer: MailingList
}

/**
 * The properties of a list that are mirrored. References to a server's own ids (routes, domains, seed lists)
 * stay local, and so does the primary key once the list exists.
 */
const mirrored = [
  'name',
  'd_from_email',
  'd_from_name',
  'd_reply_to',
  'd_sender_email',
  'd_speed',
  'd_autowinner_enabled',
  'd_autowinner_percentage',
  'd_autowinner_delay_amount',
  'd_autowinner_delay_unit',
  'd_autowinner_metric',
  'has_format',
  'has_confirmed',
  'custom_headers_enabled',
  'custom_headers'
] as const satisfies readonly (keyof MailingList)[]

export function mailingLists(run: Run): RecordKind<TheirList> {
  const { api, client, reader, organizationId } = run
  const isChosen = (id: number): boolean => run.mailingListIds?.includes(id) ?? true

  return {
    kind: 'mailing_list',
    mailingListId: null,
    concerns: isChosen,
    nameOf: ({ name }) => String(name),
    keyOf: ({ name }) => String(name).trim().toLowerCase(),

    readLocal: async () => {
      const rows = (await mailingListsOf(reader, organizationId)).filter(
        ({ id, is_remote_list }) => is_remote_list === 0 && isChosen(id)
      )
      const lists = await presentMailingLists(reader, organizationId, rows)
      return lists.map((list) => ({ id: list.id, content: contentOf(list) }))
    },

    readRemote: async () => {
      const { data } = await api.get<MailingList[]>('/mailing_lists', answers.lists)
      return data.filter(({ is_remote_list }) => !is_remote_list).map(theirList)
    },

    createRemote: async (content) => {
      const { data } = await api.post<MailingList>('/mailing_lists', answers.list, { mailing_list: content })
      requireName(data, content['name'], 'the list')
      return theirList(data)
    },

    updateRemote: async ({ id, answer }, content) => {
      const { data } = await api.put<MailingList>(`/mailing_lists/${id}`, answers.list, {
        mailing_list: { ...unchanged(answer), ...content }
      })
      requireName(data, content['name'], 'the list')
    },

    removeRemote: async (id) => {
      const { data } = await api.get<{ delete_confirmation_code: string }>(
        `/mailing_lists/${id}/delete_confirmation_code`,
        answers.confirmation
      )
      await api.delete(`/mailing_lists/${id}/confirmed/${encodeURIComponent(data.delete_confirmation_code)}`)
    },

    createLocal: (content) =>
      client.run('mailingLists.create', { organizationId, list: content as MailingListInput }),

    updateLocal: (id, content) => client.run('mailingLists.update', { organizationId, id, changes: content })
  }
}

function theirList(answer: MailingList): TheirList {
  return { id: answer.id, content: contentOf(answer), answer }
}

function contentOf(list: MailingList): Content {
  return Object.fromEntries(mirrored.map((key) => [key, list[key] === '' ? null : (list[key] ?? null)]))
}

/** The properties that an update of a list must repeat (docs/api.md, "Mailing lists"). */
function unchanged(answer: MailingList): object {
  return {
    d_virtual_mta: answer.d_virtual_mta,
    d_url_domain: answer.d_url_domain,
    d_bounce_email: answer.d_bounce_email,
    d_seed_list_ids: (answer.d_seed_lists ?? []).map(({ id }) => id),
    primary_key_custom_field_id: answer.primary_key_custom_field_id,
    preview_custom_field_data: answer.preview_custom_field_data ?? {}
  }
}

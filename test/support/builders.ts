import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Segment } from '../../src-main/api/segments/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { WebForm } from '../../src-main/api/web-forms/schema.ts'
import type { StartedApplication } from './application.ts'
import type { Client } from './client.ts'

let made = 0

/** A list with a name of its own. */
export async function makeList(api: Client, settings: Record<string, unknown> = {}): Promise<MailingList> {
  const mailing_list = { name: `List ${++made}`, ...settings }
  return expectSuccess(await api.post<MailingList>('/mailing_lists', { mailing_list }))
}

export async function makeField(
  api: Client,
  listId: number,
  name: string,
  field_type: string,
  attributes: Record<string, unknown> = {}
): Promise<CustomField> {
  const custom_field = { name, field_type, ...attributes }
  return expectSuccess(
    await api.post<CustomField>(`/mailing_lists/${listId}/custom_fields`, { custom_field })
  )
}

export async function makeSubscriber(
  api: Client,
  listId: number,
  email: string,
  values: Record<string, unknown> = {}
): Promise<Subscriber> {
  const subscriber = { email, status: 'active', ...values }
  return expectSuccess(await api.post<Subscriber>(`/mailing_lists/${listId}/subscribers`, { subscriber }))
}

/** A segment: who is on any list that is given, or on a new one, which is empty. */
export async function makeSegment(
  api: Client,
  listId: number,
  {
    name = `Segment ${++made}`,
    operator = 'is in',
    other
  }: { name?: string; operator?: string; other?: number } = {}
): Promise<Segment> {
  const mailing_list_id = other ?? (await makeList(api)).id
  const clause = [{ type: 'in_mailing_list', operator, mailing_list_id }]
  return expectSuccess(
    await api.post<Segment>(`/mailing_lists/${listId}/segments`, { segmentation_criteria: { name, clause } })
  )
}

/** A campaign to everyone on the list, with a content and delivery settings, that has no time to begin at. */
export async function makeCampaign(
  api: Client,
  listId: number,
  settings: Record<string, unknown> = {}
): Promise<CampaignDetail> {
  const campaign = {
    name: `Campaign ${++made}`,
    segmentation_criteria_ad_hoc: [],
    contents: [{ subject: 'Hello', format: 'both', html: '<p>Hello</p>', text: 'Hello' }],
    dispatch_attributes: { from_email: 'sender@example.com' },
    ...settings
  }
  return expectSuccess(await api.post<CampaignDetail>(`/mailing_lists/${listId}/campaigns`, { campaign }))
}

/** An autoresponder that is triggered by programs, unless the settings say otherwise. */
export async function makeAutoresponder(
  api: Client,
  listId: number,
  name: string,
  settings: Record<string, unknown> = {}
): Promise<Autoresponder> {
  const autoresponder = { name, trigger: 'api', ...settings }
  return expectSuccess(
    await api.post<Autoresponder>(`/mailing_lists/${listId}/autoresponders`, { autoresponder })
  )
}

/** A subscription form that requires confirmation, unless the settings say otherwise. */
export async function makeWebForm(
  api: Client,
  listId: number,
  settings: Record<string, unknown> = {}
): Promise<WebForm> {
  const web_form = { name: `Form ${++made}`, ...settings }
  return expectSuccess(await api.post<WebForm>(`/mailing_lists/${listId}/web_forms`, { web_form }))
}

/** A list whose recipients come from another database. */
export async function makeRemoteList(
  api: Client,
  settings: Record<string, unknown> = {}
): Promise<MailingList> {
  const connection = expectSuccess(
    await api.post<{ id: number }>('/database_connections', {
      database_connection: { name: `Connection ${++made}` }
    })
  )
  return makeList(api, { is_remote_list: true, database_connection_id: connection.id, ...settings })
}

/** Imports a CSV text and waits for the end. */
export async function importText(
  api: Client,
  listId: number,
  content: string,
  settings: Record<string, unknown> = {}
): Promise<SubscriberImport> {
  return runImport(api, listId, { file_source: { type: 'json', content }, ...settings })
}

/** Puts a file into the upload directory, imports it and waits for the end. */
export async function importFile(
  { api, dataDirectory }: Pick<StartedApplication, 'api' | 'dataDirectory'>,
  listId: number,
  content: string | Uint8Array,
  settings: Record<string, unknown> = {}
): Promise<SubscriberImport> {
  const filename = `file-${++made}.csv`
  await writeFile(join(dataDirectory, 'uploads', filename), content)
  return runImport(api, listId, { file_source: { type: 'upload_directory', filename }, ...settings })
}

async function runImport(
  api: Client,
  listId: number,
  settings: Record<string, unknown>
): Promise<SubscriberImport> {
  const subscriber_import = { column_mapping: ['email'], ...settings }
  const created = await api.post<SubscriberImport>(`/mailing_lists/${listId}/subscriber_imports`, {
    subscriber_import
  })
  return api.imported(expectSuccess(created).id)
}

/** Every subscriber of a list, page after page. */
export async function allSubscribers(api: Client, listId: number): Promise<Subscriber[]> {
  const all: Subscriber[] = []
  let token: string | null | undefined = ''
  while (token !== null) {
    const page: Awaited<ReturnType<typeof api.get<Subscriber[]>>> = await api.get<Subscriber[]>(
      `/mailing_lists/${listId}/subscribers?per_page=500&page_token=${token ?? ''}`
    )
    all.push(...expectSuccess(page))
    token = page.next_page_token ?? null
  }
  return all
}

/** @returns what a call answers that must succeed */
export function expectSuccess<Data>(answer: {
  success: boolean
  data: Data
  error_message: string | null
}): Data {
  if (!answer.success) throw new Error(answer.error_message ?? 'failed without a message')
  return answer.data
}

/** Deletes a list, with the code that confirms it. */
export async function deleteList(api: Client, id: number): Promise<void> {
  const { data } = await api.get<{ delete_confirmation_code: string }>(
    `/mailing_lists/${id}/delete_confirmation_code`
  )
  expectSuccess(await api.delete(`/mailing_lists/${id}/confirmed/${data.delete_confirmation_code}`))
}

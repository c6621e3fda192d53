import type { CampaignDetail } from '../../../src-main/api/campaigns/schema.ts'
import type { Application } from '../../../src-main/app.ts'
import {
  expectSuccess,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeRemoteList,
  makeSegment,
  makeSubscriber,
  makeWebForm
} from '../../support/builders.ts'
import { makeOrganization, makeUser } from '../../support/accounts.ts'
import type { StartedApplication } from '../../support/application.ts'
import type { Client } from '../../support/client.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { sqliteFile } from '../../support/remote-lists.ts'
import { routeTo, until } from '../../support/smtp-route.ts'
import { unsubscribeTokenOf } from '../../support/unsubscribe.ts'
import { webhookReceiver } from '../../support/webhook-receiver.ts'
import * as shapes from './shapes.ts'
import type { Shape } from './shapes.ts'

/** A row of the specification's table of endpoints. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /**
   * Creates the records that the request is about.
   * @returns the path's parameters, and the body
   */
  prepare: (started: StartedApplication) => Promise<Prepared>
  data: Shape | 'text'
  pages?: 'numbers' | 'tokens'
  needs?: string
  refusesRemoteLists?: true
}

interface Prepared {
  parameters?: Record<string, string | number>
  /** Without the question mark. */
  query?: string
  body?: unknown
}

let number = 0
const unique = (): string => `conformance ${++number}`

async function listOnly({ api }: StartedApplication): Promise<Prepared & { listId: number }> {
  const { id } = await makeList(api)
  return { listId: id, parameters: { mailing_list_id: id } }
}

async function listWithField(
  { api }: StartedApplication,
  body?: unknown
): Promise<Prepared & { parameters: Record<string, number> }> {
  const { id } = await makeList(api)
  const field = await makeField(api, id, 'Field', 'text')
  return { parameters: { mailing_list_id: id, id: field.id }, body }
}

async function globalField({ api }: StartedApplication, body?: unknown): Promise<Prepared> {
  const { data } = await api.post<{ id: number }>('/custom_fields', {
    custom_field: { name: unique(), field_type: 'text' }
  })
  return { parameters: { id: data.id }, body }
}

async function listWithSubscriber(
  { api }: StartedApplication,
  body?: unknown
): Promise<Prepared & { listId: number }> {
  const list = await makeList(api)
  await makeField(api, list.id, 'City', 'text')
  const made = await makeSubscriber(api, list.id, 'somebody@example.com', { custom_fields: { City: 'Bern' } })
  return {
    listId: list.id,
    parameters: { mailing_list_id: list.id, subscriber: made.id, email: 'somebody%40example.com' },
    body
  }
}

async function listWithAutoresponder({ api }: StartedApplication, body?: unknown): Promise<Prepared> {
  const { id } = await makeList(api)
  const made = await makeAutoresponder(api, id, 'Welcome')
  return { parameters: { mailing_list_id: id, autoresponder_id: made.id }, body }
}

async function listWithForm({ api }: StartedApplication, body?: unknown): Promise<Prepared> {
  const { id } = await makeList(api)
  const form = await makeWebForm(api, id)
  return { parameters: { mailing_list_id: id, id: form.id }, body }
}

async function listWithPending({ api }: StartedApplication): Promise<Prepared> {
  const { id } = await makeList(api)
  const form = await makeWebForm(api, id)
  await api.post(`/mailing_lists/${id}/subscribers`, {
    subscriber: { email: 'waiting@example.com', status: 'active', confirmation_form_id: form.id }
  })
  const { data } = await api.get<{ id: number }[]>(`/mailing_lists/${id}/pending_subscriptions`)
  return { parameters: { mailing_list_id: id, id: data[0]?.id ?? 0 } }
}

const importBody = {
  subscriber_import: {
    column_mapping: ['email'],
    file_source: { type: 'json', content: 'email\na@example.com\nnobody' }
  }
}

async function listWithImport(
  { api }: StartedApplication,
  settings = {}
): Promise<Prepared & { id: number }> {
  const list = await makeList(api)
  const { data } = await api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: { ...importBody.subscriber_import, ...settings }
  })
  return { id: data.id, parameters: { mailing_list_id: list.id, id: data.id } }
}

async function made(
  { api }: StartedApplication,
  path: string,
  body: unknown
): Promise<Prepared & { parameters: { id: string | number } }> {
  const { data } = await api.post<{ id: string | number }>(path, body)
  return { parameters: { id: data.id } }
}

const fieldBody = { custom_field: { instructions: 'As on the form' } }
const subscriberBody = { subscriber: { email: 'new@example.com', status: 'active' } }
const byEmail: Shape = [shapes.subscriberByEmail]
const byEmailAcross: Shape = [{ ...shapes.subscriberByEmail, organization: shapes.reference }]
const deletedField: Shape = { ...shapes.textField, deleted_at: 'timestamp' }
const onceImported = async (started: StartedApplication): Promise<Prepared> => {
  const prepared = await listWithImport(started)
  await started.api.imported(prepared.id)
  return { parameters: { ...prepared.parameters, log: 'failed' } }
}
const scheduled = (started: StartedApplication): Promise<Prepared> =>
  listWithImport(started, { begins_at: '2099-01-01T00:00:00Z' })

const mailingLists: Endpoint[] = [
  { method: 'GET', path: '/mailing_lists', prepare: listOnly, data: [shapes.mailingList] },
  {
    method: 'POST',
    path: '/mailing_lists',
    prepare: async () => ({ body: { mailing_list: { name: unique() } } }),
    data: shapes.mailingList,
    needs: 'mailing_list.create'
  },
  { method: 'GET', path: '/mailing_lists/{mailing_list_id}', prepare: listOnly, data: shapes.mailingList },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}',
    prepare: async (started) => ({ ...(await listOnly(started)), body: { mailing_list: { d_speed: 7 } } }),
    data: shapes.mailingList,
    needs: 'mailing_list.update'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/delete_confirmation_code',
    prepare: listOnly,
    data: { delete_confirmation_code: 'string', delete_confirmation_expires_at: 'timestamp' },
    needs: 'mailing_list.delete'
  },
  {
    method: 'DELETE',
    path: '/mailing_lists/{mailing_list_id}/confirmed/{delete_confirmation_code}',
    prepare: async (started) => {
      const { listId } = await listOnly(started)
      const { data } = await started.api.get<{ delete_confirmation_code: string }>(
        `/mailing_lists/${listId}/delete_confirmation_code`
      )
      return { parameters: { mailing_list_id: listId, ...data } }
    },
    data: 'null',
    needs: 'mailing_list.delete'
  }
]

const customFields: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/custom_fields',
    prepare: listWithField,
    data: ['any'],
    pages: 'numbers'
  },
  { method: 'GET', path: '/custom_fields', prepare: globalField, data: ['any'], pages: 'numbers' },
  { method: 'GET', path: '/custom_fields/{id}', prepare: globalField, data: shapes.textField },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/custom_fields/{id}',
    prepare: listWithField,
    data: shapes.textField
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/custom_fields',
    prepare: async (started) => ({
      ...(await listOnly(started)),
      body: { custom_field: { name: unique(), field_type: 'text' } }
    }),
    data: shapes.textField,
    needs: 'custom_field.create'
  },
  {
    method: 'POST',
    path: '/custom_fields',
    prepare: async () => ({ body: { custom_field: { name: unique(), field_type: 'text' } } }),
    data: shapes.textField,
    needs: 'custom_field.create'
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/custom_fields/{id}',
    prepare: (started) => listWithField(started, fieldBody),
    data: shapes.textField,
    needs: 'custom_field.update'
  },
  {
    method: 'PUT',
    path: '/custom_fields/{id}',
    prepare: (started) => globalField(started, fieldBody),
    data: shapes.textField,
    needs: 'custom_field.update'
  },
  {
    method: 'DELETE',
    path: '/mailing_lists/{mailing_list_id}/custom_fields/{id}',
    prepare: listWithField,
    data: 'null',
    needs: 'custom_field.delete'
  },
  {
    method: 'DELETE',
    path: '/custom_fields/{id}',
    prepare: globalField,
    data: 'null',
    needs: 'custom_field.delete'
  },
  {
    method: 'POST',
    path: '/custom_fields/promote',
    prepare: async ({ api }) => {
      const { id } = await makeList(api)
      const field = await makeField(api, id, unique(), 'text')
      return { body: { promote: { custom_field_id: field.id } } }
    },
    data: shapes.textField,
    needs: 'custom_field.update'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/custom_fields/deleted',
    prepare: async (started) => {
      const { parameters } = await listWithField(started)
      await started.api.delete(`/custom_fields/${parameters['id']}`)
      return { parameters }
    },
    data: [deletedField]
  },
  { method: 'GET', path: '/custom_fields/deleted', prepare: globalField, data: [deletedField] }
]

const subscribers: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/subscribers',
    prepare: listWithSubscriber,
    data: [shapes.subscriber],
    pages: 'tokens',
    needs: 'subscriber.read',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/subscribers/{subscriber}',
    prepare: listWithSubscriber,
    data: [shapes.subscriber],
    needs: 'subscriber.read',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/subscribers',
    prepare: (started) => listWithSubscriber(started, subscriberBody),
    data: shapes.subscriber,
    needs: 'subscriber.create',
    refusesRemoteLists: true
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/subscribers/{subscriber}',
    prepare: (started) => listWithSubscriber(started, subscriberBody),
    data: shapes.subscriber,
    needs: 'subscriber.update',
    refusesRemoteLists: true
  },
  {
    method: 'DELETE',
    path: '/mailing_lists/{mailing_list_id}/subscribers/{subscriber}',
    prepare: listWithSubscriber,
    data: { subscriber_ids_removed: ['integer'], more_remaining: 'boolean' },
    needs: 'subscriber.delete',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/subscribers/{subscriber}/trigger_autoresponders',
    prepare: async (started) => {
      const prepared = await listWithSubscriber(started, { autoresponder_names: ['*'] })
      await makeAutoresponder(started.api, prepared.listId, 'Welcome')
      return prepared
    },
    data: {
      triggered_autoresponders: [shapes.reference],
      subscriber: shapes.subscriber,
      subscription_result: 'string'
    },
    needs: 'subscriber.update',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/subscribers/unsubscribe',
    prepare: async (started) => {
      const { parameters } = await listWithSubscriber(started)
      const token = await unsubscribeTokenOf(started, Number(parameters?.['subscriber']))
      return { body: { unsubscribe: { token } } }
    },
    data: shapes.subscriber,
    needs: 'subscriber.update'
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/subscribers/unsubscribe',
    prepare: async (started) => {
      const { parameters } = await listWithSubscriber(started)
      const token = await unsubscribeTokenOf(started, Number(parameters?.['subscriber']))
      return { parameters: parameters ?? {}, body: { unsubscribe: { token } } }
    },
    data: shapes.subscriber,
    needs: 'subscriber.update',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/subscribers_by_email/{email}',
    prepare: listWithSubscriber,
    data: byEmail,
    pages: 'tokens',
    needs: 'subscriber.read'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/subscribers_by_email/{email}',
    prepare: listWithSubscriber,
    data: byEmail,
    pages: 'tokens',
    needs: 'subscriber.read',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/organizations/{organization_id}/subscribers_by_email/{email}',
    prepare: async (started) => ({
      parameters: { ...(await listWithSubscriber(started)).parameters, organization_id: 1 }
    }),
    data: byEmailAcross,
    pages: 'tokens',
    needs: 'system_admin'
  },
  {
    method: 'GET',
    path: '/organizations/all/subscribers_by_email/{email}',
    prepare: listWithSubscriber,
    data: byEmailAcross,
    pages: 'tokens',
    needs: 'system_admin'
  },
  { method: 'GET', path: '/subscriber_counts', prepare: listWithSubscriber, data: shapes.subscriberCounts },
  {
    method: 'GET',
    path: '/organization/{organization_id}/subscriber_counts',
    prepare: async () => ({ parameters: { organization_id: 1 } }),
    data: shapes.subscriberCounts,
    needs: 'system_admin'
  }
]

const subscriberImports: Endpoint[] = [
  {
    method: 'GET',
    path: '/subscriber_imports',
    prepare: listWithImport,
    data: [shapes.importSummary],
    pages: 'numbers',
    needs: 'subscriber.import'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/subscriber_imports',
    prepare: listWithImport,
    data: [shapes.importSummary],
    pages: 'numbers',
    needs: 'subscriber.import',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/subscriber_imports/{id}',
    prepare: listWithImport,
    data: shapes.subscriberImport,
    needs: 'subscriber.import'
  },
  {
    method: 'GET',
    path: '/subscriber_imports/{id}/added_ids',
    prepare: onceImported,
    data: 'text',
    needs: 'subscriber.read'
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/subscriber_imports',
    prepare: async (started) => ({ ...(await listOnly(started)), body: importBody }),
    data: shapes.subscriberImport,
    needs: 'subscriber.import',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/subscriber_imports/{id}/pause',
    prepare: scheduled,
    data: shapes.subscriberImport,
    needs: 'subscriber.import'
  },
  {
    method: 'POST',
    path: '/subscriber_imports/{id}/unpause',
    prepare: async (started) => {
      const prepared = await scheduled(started)
      await started.api.post(`/subscriber_imports/${prepared.parameters?.['id']}/pause`)
      return prepared
    },
    data: shapes.subscriberImport,
    needs: 'subscriber.import'
  },
  {
    method: 'POST',
    path: '/subscriber_imports/{id}/cancel',
    prepare: scheduled,
    data: shapes.subscriberImport,
    needs: 'subscriber.import'
  },
  {
    method: 'GET',
    path: '/subscriber_imports/{id}/logs/{log}',
    prepare: onceImported,
    data: 'text',
    needs: 'subscriber.import'
  }
]

async function listWithExport({ api }: StartedApplication): Promise<Prepared & { id: number }> {
  const list = await makeList(api)
  const { data } = await api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_exports`, {
    subscriber_export: {}
  })
  return { id: data.id, parameters: { mailing_list_id: list.id, id: data.id } }
}

/** An export of a list so long that it can be acted on before it ends. */
async function longExport(started: StartedApplication): Promise<Prepared> {
  const list = await makeList(started.api)
  await importText(
    started.api,
    list.id,
    Array.from({ length: 20_000 }, (_, row) => `p${row}@example.com`).join('\n')
  )
  const { data } = await started.api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_exports`, {
    subscriber_export: {}
  })
  return { parameters: { mailing_list_id: list.id, id: data.id } }
}

const subscriberExports: Endpoint[] = [
  {
    method: 'GET',
    path: '/subscriber_exports',
    prepare: listWithExport,
    data: [shapes.subscriberExport],
    pages: 'numbers',
    needs: 'subscriber.export'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/subscriber_exports',
    prepare: listWithExport,
    data: [shapes.subscriberExport],
    pages: 'numbers',
    needs: 'subscriber.export',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/subscriber_exports/{id}',
    prepare: listWithExport,
    data: shapes.subscriberExport,
    needs: 'subscriber.export'
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/subscriber_exports',
    prepare: async (started) => ({ ...(await listOnly(started)), body: { subscriber_export: {} } }),
    data: shapes.subscriberExport,
    needs: 'subscriber.export',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/subscriber_exports/{id}/pause',
    prepare: longExport,
    data: shapes.subscriberExport,
    needs: 'subscriber.export'
  },
  {
    method: 'POST',
    path: '/subscriber_exports/{id}/unpause',
    prepare: async (started) => {
      const prepared = await longExport(started)
      await started.api.post(`/subscriber_exports/${prepared.parameters?.['id']}/pause`)
      return prepared
    },
    data: shapes.subscriberExport,
    needs: 'subscriber.export'
  },
  {
    method: 'POST',
    path: '/subscriber_exports/{id}/cancel',
    prepare: longExport,
    data: shapes.subscriberExport,
    needs: 'subscriber.export'
  },
  {
    method: 'GET',
    path: '/subscriber_exports/{id}/download',
    prepare: async (started) => {
      const prepared = await listWithExport(started)
      await started.api.exported(prepared.id)
      return prepared
    },
    data: 'text',
    needs: 'subscriber.export'
  }
]

const autoresponderBody = { autoresponder: { name: 'Thanks', trigger: 'api' } }
const autoresponders: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/upcoming_messages',
    prepare: listWithAutoresponder,
    data: {
      days: [{ day: 'string', autoresponder_id: 'integer', messages: 'integer' }],
      next: [{ email: 'string', subscriber_id: 'integer', autoresponder_id: 'integer', due_at: 'timestamp' }]
    },
    needs: 'subscriber.read',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/autoresponders',
    prepare: listWithAutoresponder,
    data: [shapes.autoresponder],
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/autoresponders/{autoresponder_id}',
    prepare: listWithAutoresponder,
    data: shapes.autoresponder,
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/autoresponders',
    prepare: (started) => listWithAutoresponder(started, autoresponderBody),
    data: shapes.autoresponder,
    needs: 'autoresponder.create',
    refusesRemoteLists: true
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/autoresponders/{autoresponder_id}',
    prepare: (started) => listWithAutoresponder(started, autoresponderBody),
    data: shapes.autoresponder,
    needs: 'autoresponder.update or autoresponder.update_state',
    refusesRemoteLists: true
  },
  {
    method: 'DELETE',
    path: '/mailing_lists/{mailing_list_id}/autoresponders/{autoresponder_id}',
    prepare: listWithAutoresponder,
    data: 'null',
    needs: 'autoresponder.delete',
    refusesRemoteLists: true
  }
]

async function segmentBody(api: Client): Promise<unknown> {
  const { id } = await makeList(api)
  const clause = [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: id }]
  return { segmentation_criteria: { name: unique(), clause } }
}

async function listWithSegment({ api }: StartedApplication): Promise<Prepared> {
  const list = await makeList(api)
  const segment = await makeSegment(api, list.id)
  return { parameters: { mailing_list_id: list.id, id: segment.id } }
}

const segments: Endpoint[] = [
  {
    method: 'GET',
    path: '/segments',
    prepare: listWithSegment,
    data: [shapes.segmentSummary],
    pages: 'numbers'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/segments',
    prepare: listWithSegment,
    data: [shapes.segmentSummary],
    pages: 'numbers',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/segments',
    prepare: async (started) => ({ ...(await listOnly(started)), body: await segmentBody(started.api) }),
    data: shapes.segment,
    needs: 'segmentation_criteria.create',
    refusesRemoteLists: true
  },
  { method: 'GET', path: '/segments/{id}', prepare: listWithSegment, data: shapes.segment },
  {
    method: 'PUT',
    path: '/segments/{id}',
    prepare: async (started) => ({
      ...(await listWithSegment(started)),
      body: await segmentBody(started.api)
    }),
    data: shapes.segment,
    needs: 'segmentation_criteria.update'
  },
  {
    method: 'DELETE',
    path: '/segments/{id}',
    prepare: listWithSegment,
    data: 'null',
    needs: 'segmentation_criteria.delete'
  },
  {
    method: 'GET',
    path: '/segmentation_criterias',
    prepare: listWithSegment,
    data: [shapes.segmentationCriteria]
  }
]

const campaignBody = {
  campaign: {
    name: 'News',
    contents: [{ name: 'A', subject: 'Hello', format: 'html', html: '<p>Hello</p>' }],
    dispatch_attributes: {}
  }
}

async function listWithCampaign({ api }: StartedApplication, body?: unknown): Promise<Prepared> {
  const { id } = await makeList(api)
  const campaign = await makeCampaign(api, id)
  return { parameters: { mailing_list_id: id, id: campaign.id }, body }
}

async function scheduledCampaign({ api }: StartedApplication): Promise<Prepared> {
  const { id } = await makeList(api)
  const campaign = await makeCampaign(api, id, {
    dispatch_attributes: { from_email: 'a@example.com', begins_at: '2099-01-01T00:00:00Z' }
  })
  return { parameters: { id: campaign.id } }
}

const sentCampaigns = new WeakMap<Application, Promise<Record<string, number>>>()

/** A campaign with a split test that is over, and what its statistics are named: one for all, since it takes a while. */
async function sentCampaign(started: StartedApplication, body?: unknown): Promise<Prepared> {
  const made = sentCampaigns.get(started.app) ?? sendCampaign(started)
  sentCampaigns.set(started.app, made)
  return { parameters: await made, body }
}

async function sendCampaign({ api, app }: StartedApplication): Promise<Record<string, number>> {
  const { id } = await makeList(api)
  await makeSubscriber(api, id, 'a@example.com')
  const content = { format: 'html', subject: 'Hello', html: '<a href="https://example.com/">Hello</a>' }
  const campaign = await makeCampaign(api, id, {
    contents: [
      { ...content, name: 'A' },
      { ...content, name: 'B' }
    ],
    dispatch_attributes: {
      from_email: 'a@example.com',
      begins_at: Math.floor(Date.now() / 1000),
      autowinner_enabled: true,
      autowinner_percentage: '50',
      autowinner_delay_amount: 0,
      autowinner_delay_unit: 'minutes',
      autowinner_metric: 'opens_unique'
    }
  })
  const { stat_summary } = await api.sent(campaign.id)
  const stat_id = stat_summary?.stat_id ?? 0
  return { mailing_list_id: id, id: campaign.id, stat_id, organization_id: app.organizationId }
}

const previewBody = { preview: { recipients: ['a@example.com'], split_emails_by_format: true } }

const statistics: Endpoint[] = [
  { method: 'GET', path: '/campaigns/by_stat/{stat_id}', prepare: sentCampaign, data: shapes.sentCampaign },
  {
    method: 'PUT',
    path: '/campaigns/by_stat/{stat_id}',
    prepare: (started) => sentCampaign(started, { campaign: { name: 'Renamed' } }),
    data: shapes.sentCampaign,
    needs: 'campaign.update'
  },
  {
    method: 'POST',
    path: '/campaigns/by_stat/{stat_id}/pause',
    prepare: slowCampaign,
    data: shapes.begunCampaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'POST',
    path: '/campaigns/by_stat/{stat_id}/resume',
    prepare: async (started) => {
      const prepared = await slowCampaign(started)
      await started.api.post(`/campaigns/by_stat/${prepared.parameters?.['stat_id']}/pause`)
      return prepared
    },
    data: shapes.begunCampaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/link_stats',
    prepare: sentCampaign,
    data: shapes.linkStats,
    pages: 'numbers',
    needs: 'campaign.read_stats'
  },
  {
    method: 'POST',
    path: '/campaigns/{id}/send_preview',
    prepare: (started) => sentCampaign(started, previewBody),
    data: 'null',
    needs: 'campaign.send or campaign.update'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/campaign_statistics',
    prepare: sentCampaign,
    data: shapes.statSummary,
    needs: 'campaign.read_stats'
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/autoresponders/{autoresponder_id}/statistics',
    prepare: (started) => listWithAutoresponder(started),
    data: shapes.statSummary,
    needs: 'autoresponder.read_stats',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/autoresponders/{id}/send_preview',
    prepare: autoresponderToPreview,
    data: 'null',
    needs: 'autoresponder.update'
  },
  {
    method: 'GET',
    path: '/system_campaigns',
    prepare: sentCampaign,
    data: shapes.campaignReport,
    pages: 'numbers',
    needs: 'system_admin'
  },
  ...(['daily', 'monthly'] as const).flatMap((unit): Endpoint[] => [
    {
      method: 'GET',
      path: `/organizations/{id}/messages_sent/${unit}`,
      prepare: ownOrganization,
      data: shapes.messagesSent
    },
    {
      method: 'GET',
      path: `/organizations/{id}/messages_sent/${unit}.csv`,
      prepare: ownOrganization,
      data: 'text'
    }
  ])
]

async function slowCampaign({ api }: StartedApplication): Promise<Prepared> {
  const { id } = await makeList(api)
  for (const name of ['a', 'b', 'c']) await makeSubscriber(api, id, `${name}@example.com`)
  const campaign = await makeCampaign(api, id, {
    dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000), speed: 1 }
  })
  for (;;) {
    const { data } = await api.get<CampaignDetail>(`/campaigns/${campaign.id}`)
    if (data.stat_summary) return { parameters: { id: campaign.id, stat_id: data.stat_summary.stat_id } }
  }
}

async function autoresponderToPreview({ api }: StartedApplication): Promise<Prepared> {
  const { id } = await makeList(api)
  const content = { content_subject: 'Hello', content_format: 'text', content_text: 'Hello' }
  const sender = { use_external_delivery_setting: false, from_email: 'a@example.com' }
  const made = await makeAutoresponder(api, id, 'Hello', { ...content, ...sender })
  return { parameters: { id: made.id }, body: previewBody }
}

async function ownOrganization(started: StartedApplication): Promise<Prepared> {
  await sentCampaign(started)
  return { parameters: { id: started.app.organizationId } }
}

async function listWithTemplate({ api }: StartedApplication, body?: unknown): Promise<Prepared> {
  const { id } = await makeList(api)
  const { data } = await api.post<{ id: number }>(`/mailing_lists/${id}/templates`, campaignBody)
  return { parameters: { mailing_list_id: id, id: data.id }, body }
}

async function ofList(started: StartedApplication, body?: unknown): Promise<Prepared> {
  const { parameters = {} } = await scheduledCampaign(started)
  const { data } = await started.api.get<{ mailing_list_id: number }>(`/campaigns/${parameters['id']}`)
  return { parameters: { mailing_list_id: data.mailing_list_id, campaign_id: parameters['id'] ?? 0 }, body }
}

/** Something whose preview was handed to a server. */
async function previewed(
  started: StartedApplication,
  kind: 'campaigns' | 'autoresponders',
  prepare: (started: StartedApplication) => Promise<Prepared>
): Promise<Prepared> {
  const { parameters } = await prepare(started)
  const { port, close } = await startMailServer()
  await routeTo(started.api, port)
  expectSuccess(await started.api.post(`/${kind}/${parameters?.['id']}/send_preview`, previewBody))
  await started.api.put('/delivery_routes/0', { delivery_route: { smtp_server_ids: [] } })
  await close()
  return { parameters: parameters ?? {} }
}

const campaigns: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/campaigns',
    prepare: listWithCampaign,
    data: [shapes.campaignSummary]
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/campaigns',
    prepare: async (started) => ({ ...(await listOnly(started)), body: campaignBody }),
    data: shapes.campaign,
    needs: 'campaign.create'
  },
  { method: 'GET', path: '/campaigns/{id}', prepare: listWithCampaign, data: shapes.campaign },
  {
    method: 'PUT',
    path: '/campaigns/{id}',
    prepare: (started) => listWithCampaign(started, { campaign: { name: 'Renamed' } }),
    data: shapes.campaign,
    needs: 'campaign.update'
  },
  {
    method: 'DELETE',
    path: '/campaigns/{id}',
    prepare: listWithCampaign,
    data: shapes.deletedCampaign,
    needs: 'campaign.delete'
  },
  {
    method: 'POST',
    path: '/campaigns/{id}/pause',
    prepare: scheduledCampaign,
    data: shapes.campaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'POST',
    path: '/campaigns/{id}/resume',
    prepare: async (started) => {
      const prepared = await scheduledCampaign(started)
      await started.api.post(`/campaigns/${prepared.parameters?.['id']}/pause`)
      return prepared
    },
    data: shapes.campaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/campaigns/{campaign_id}',
    prepare: (started) => ofList(started, { campaign: { name: 'Renamed' } }),
    data: shapes.campaign,
    needs: 'campaign.update'
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/campaigns/{campaign_id}/pause',
    prepare: (started) => ofList(started),
    data: shapes.campaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/campaigns/{campaign_id}/resume',
    prepare: async (started) => {
      const prepared = await ofList(started)
      await started.api.post(`/campaigns/${prepared.parameters?.['campaign_id']}/pause`)
      return prepared
    },
    data: shapes.campaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'POST',
    path: '/campaigns/{id}/cancel',
    prepare: scheduledCampaign,
    data: shapes.campaign,
    needs: 'campaign.update_state'
  }
]

const templates: Endpoint[] = [
  { method: 'GET', path: '/templates', prepare: listWithTemplate, data: [shapes.templateSummary] },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/templates',
    prepare: listWithTemplate,
    data: [shapes.templateSummary]
  },
  { method: 'GET', path: '/templates/{id}', prepare: listWithTemplate, data: shapes.template },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/templates',
    prepare: async (started) => ({ ...(await listOnly(started)), body: campaignBody }),
    data: shapes.template,
    needs: 'campaign/template.create'
  },
  {
    method: 'PUT',
    path: '/templates/{id}',
    prepare: (started) => listWithTemplate(started, { campaign: { name: 'Renamed' } }),
    data: shapes.template,
    needs: 'campaign/template.update'
  },
  {
    method: 'DELETE',
    path: '/templates/{id}',
    prepare: listWithTemplate,
    data: 'null',
    needs: 'campaign/template.delete'
  }
]

const webForms: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/web_forms',
    prepare: listWithForm,
    data: [shapes.webForm],
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/web_forms/{id}',
    prepare: listWithForm,
    data: shapes.webForm,
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/web_forms',
    prepare: (started) => listWithForm(started, { web_form: { name: 'Footer' } }),
    data: shapes.webForm,
    needs: 'web_form.create',
    refusesRemoteLists: true
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/web_forms/{id}',
    prepare: (started) => listWithForm(started, { web_form: { name: 'Header' } }),
    data: shapes.webForm,
    needs: 'web_form.update',
    refusesRemoteLists: true
  },
  {
    method: 'DELETE',
    path: '/mailing_lists/{mailing_list_id}/web_forms/{id}',
    prepare: listWithForm,
    data: 'null',
    needs: 'web_form.delete',
    refusesRemoteLists: true
  },
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/pending_subscriptions',
    prepare: listWithPending,
    data: [shapes.pendingSubscription],
    needs: 'subscriber.read',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/pending_subscriptions/{id}/confirm',
    prepare: listWithPending,
    data: { subscriber_id: 'integer' },
    needs: 'subscriber.create',
    refusesRemoteLists: true
  },
  {
    method: 'POST',
    path: '/mailing_lists/{mailing_list_id}/pending_subscriptions/{id}/resend',
    prepare: listWithPending,
    data: shapes.pendingSubscription,
    needs: 'subscriber.create',
    refusesRemoteLists: true
  },
  {
    method: 'DELETE',
    path: '/mailing_lists/{mailing_list_id}/pending_subscriptions/{id}',
    prepare: listWithPending,
    data: 'null',
    needs: 'subscriber.delete',
    refusesRemoteLists: true
  }
]

function defined(
  path: string,
  body: () => unknown,
  data: { [key: string]: Shape },
  admin: string,
  read: string | undefined
): Endpoint[] {
  const prepare = async (started: StartedApplication): Promise<Prepared> => made(started, path, await body())
  return [
    { method: 'GET', path, prepare, data: [data], ...(read !== undefined && { needs: read }) },
    { method: 'POST', path, prepare: async () => ({ body: await body() }), data, needs: admin },
    { method: 'DELETE', path: `${path}/{id}`, prepare, data: 'null', needs: admin }
  ]
}

const urlDomainShape: { [key: string]: Shape } = {
  id: 'integer',
  domain: 'string',
  kind: 'string',
  address: 'string?',
  has_secret: 'boolean',
  fetched_at: 'string?',
  error_message: 'string?'
}

/** Nothing listens there. */
const gateBody = (): { url_domain: object } => ({
  url_domain: { kind: 'gate', address: `http://127.0.0.1:${++number}`, secret: 'a key that no gate has' }
})

const bounceEmailShape: { [key: string]: Shape } = {
  id: 'string',
  username: 'string',
  domain: 'string',
  email: 'string',
  plus_addressing: 'boolean'
}
const databaseConnectionBody = async (): Promise<{ database_connection: object }> => ({
  database_connection: {
    name: unique(),
    engine: 'sqlite',
    database: (await sqliteFile()).database
  }
})
const oneDatabaseConnection = async (started: StartedApplication): Promise<Prepared> =>
  made(started, '/database_connections', await databaseConnectionBody())
const bounceEmailBody = (): { bounce_email: object } => ({
  bounce_email: { username: `b${++number}`, domain: 'example.com' }
})
const deliverySettings: Endpoint[] = [
  {
    method: 'PUT',
    path: '/bounce_emails/{id}',
    prepare: async (started) => ({
      ...(await made(started, '/bounce_emails', bounceEmailBody())),
      body: { bounce_email: { plus_addressing: true } }
    }),
    data: bounceEmailShape,
    needs: 'organization_admin'
  },
  ...defined(
    '/virtual_mtas',
    () => ({ virtual_mta: { name: unique() } }),
    { id: 'integer', type: 'string', name: 'string' },
    'organization_admin',
    undefined
  ),
  ...defined(
    '/url_domains',
    () => ({ url_domain: { domain: `d${++number}.example.com` } }),
    urlDomainShape,
    'organization_admin',
    undefined
  ),
  {
    method: 'PUT',
    path: '/url_domains/{id}',
    prepare: async (started) => ({
      ...(await made(started, '/url_domains', gateBody())),
      body: { url_domain: { secret: 'another key' } }
    }),
    data: urlDomainShape,
    needs: 'organization_admin'
  },
  {
    method: 'POST',
    path: '/url_domains/{id}/test',
    prepare: (started) => made(started, '/url_domains', gateBody()),
    data: { is_open: 'boolean', milliseconds: 'integer?', words: 'string' },
    needs: 'organization_admin'
  },
  ...defined('/bounce_emails', bounceEmailBody, bounceEmailShape, 'organization_admin', undefined),
  ...defined(
    '/database_connections',
    databaseConnectionBody,
    shapes.databaseConnection as { [key: string]: Shape },
    'system_admin',
    'system_admin'
  ),
  {
    method: 'GET',
    path: '/database_connections/{id}',
    prepare: oneDatabaseConnection,
    data: shapes.databaseConnection,
    needs: 'system_admin'
  },
  {
    method: 'PUT',
    path: '/database_connections/{id}',
    prepare: async (started) => ({
      ...(await oneDatabaseConnection(started)),
      body: { database_connection: { time_limit: 60 } }
    }),
    data: shapes.databaseConnection,
    needs: 'system_admin'
  },
  {
    method: 'POST',
    path: '/database_connections/{id}/test',
    prepare: oneDatabaseConnection,
    data: {
      version: 'string',
      read_only_transactions: 'boolean',
      cursors: 'boolean',
      time_limits: 'boolean',
      rows_per_second: 'integer',
      clock_difference: 'integer'
    },
    needs: 'system_admin'
  }
]

async function oneRemoteList({ api }: StartedApplication): Promise<Prepared> {
  const { id } = await makeRemoteList(api)
  return { parameters: { mailing_list_id: id } }
}

const writeBacks: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/write_back',
    prepare: oneRemoteList,
    data: shapes.writeBack
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/write_back',
    prepare: async (started) => ({
      ...(await oneRemoteList(started)),
      body: { write_back: { table_name: 'crm.removals' } }
    }),
    data: shapes.writeBack,
    needs: 'mailing_list.update'
  }
]

const smtpServerBody = (): { smtp_server: object } => ({
  // Nothing listens there: a test message is answered with the reason.
  smtp_server: { name: unique(), host: '127.0.0.1', port: 9, security: 'none', authentication: 'none' }
})
const oneSmtpServer = (started: StartedApplication): Promise<Prepared> =>
  made(started, '/smtp_servers', smtpServerBody())
const dkimKeyBody = (): { dkim_key: object } => ({ dkim_key: { domain: `d${++number}.example.com` } })
const oneDkimKey = (started: StartedApplication): Promise<Prepared> =>
  made(started, '/dkim_keys', dkimKeyBody())
const dkimKeys: Endpoint[] = [
  {
    method: 'GET',
    path: '/preflight',
    // No DNS knows the domain: the answer is the same with and without a network.
    prepare: async () => ({ query: 'from_email=news@example.invalid' }),
    data: [shapes.preflightFinding]
  },
  { method: 'GET', path: '/dkim_keys/{id}/record', prepare: oneDkimKey, data: shapes.preflightFinding },
  { method: 'GET', path: '/dkim_keys', prepare: oneDkimKey, data: [shapes.dkimKey] },
  {
    method: 'POST',
    path: '/dkim_keys',
    prepare: async () => ({ body: dkimKeyBody() }),
    data: shapes.dkimKey,
    needs: 'organization_admin'
  },
  {
    method: 'PUT',
    path: '/dkim_keys/{id}',
    prepare: async (started) => ({
      ...(await oneDkimKey(started)),
      body: { dkim_key: { is_enabled: false } }
    }),
    data: shapes.dkimKey,
    needs: 'organization_admin'
  },
  {
    method: 'DELETE',
    path: '/dkim_keys/{id}',
    prepare: oneDkimKey,
    data: 'null',
    needs: 'organization_admin'
  }
]

async function rehearsedCampaign(started: StartedApplication): Promise<Prepared> {
  const prepared = await listWithCampaign(started)
  await started.api.post(`/campaigns/${prepared.parameters?.['id']}/rehearsal`)
  return prepared
}

/** A campaign or template with a file. */
function withFile(
  kind: 'campaigns' | 'templates',
  carrier: (started: StartedApplication) => Promise<Prepared>
): (started: StartedApplication) => Promise<Prepared> {
  return async (started) => {
    const { parameters } = await carrier(started)
    const path = `/ga/api/v2/${kind}/${parameters?.['id']}/attachments?name=a.txt`
    const answer = await started.api.raw(path, { method: 'POST', body: 'a file' })
    const { data } = (await answer.json()) as { data: { id: number } }
    return { parameters: { ...parameters, attachment_id: data.id } }
  }
}

function attachmentsOf(
  kind: 'campaigns' | 'templates',
  needs: string,
  carrier: (started: StartedApplication) => Promise<Prepared>
): Endpoint[] {
  const path = `/${kind}/{id}/attachments`
  const prepare = withFile(kind, carrier)
  return [
    { method: 'GET', path, prepare, data: [shapes.attachment] },
    { method: 'GET', path: `${path}/{attachment_id}`, prepare, data: 'text' },
    {
      method: 'POST',
      path,
      prepare: async (started) => ({
        ...(await carrier(started)),
        ...{ query: 'name=a.txt', body: 'a file' }
      }),
      data: shapes.attachment,
      needs
    },
    { method: 'DELETE', path: `${path}/{attachment_id}`, prepare, data: 'null', needs }
  ]
}

async function receivedMessage({ api }: StartedApplication): Promise<Prepared> {
  const body = `Subject: ${unique()}\r\n\r\nHello`
  const answer = await api.raw('/ga/api/v2/received_messages', { method: 'POST', body })
  const { data } = (await answer.json()) as { data: { id: number } }
  return { parameters: { id: data.id } }
}

const mailboxBody = () => ({
  mailbox: { name: unique(), host: '127.0.0.1', port: 1, username: 'anna', is_enabled: false, secret: 'x' }
})

async function oneMailbox({ api }: StartedApplication): Promise<Prepared> {
  const { id } = expectSuccess(await api.post<{ id: number }>('/mailboxes', mailboxBody()))
  return { parameters: { id } }
}

const receiving: Endpoint[] = [
  { method: 'GET', path: '/mailboxes', prepare: oneMailbox, data: [shapes.mailbox] },
  { method: 'GET', path: '/mailboxes/{id}', prepare: oneMailbox, data: shapes.mailbox },
  {
    method: 'POST',
    path: '/mailboxes',
    prepare: async () => ({ body: mailboxBody() }),
    data: shapes.mailbox,
    needs: 'organization_admin'
  },
  {
    method: 'PUT',
    path: '/mailboxes/{id}',
    prepare: async (started) => ({
      ...(await oneMailbox(started)),
      body: { mailbox: { folder: 'Bounces' } }
    }),
    data: shapes.mailbox,
    needs: 'organization_admin'
  },
  {
    method: 'POST',
    path: '/mailboxes/{id}/test',
    prepare: oneMailbox,
    data: { is_open: 'boolean', messages: 'integer?', words: 'string' },
    needs: 'organization_admin'
  },
  {
    method: 'DELETE',
    path: '/mailboxes/{id}',
    prepare: oneMailbox,
    data: 'null',
    needs: 'organization_admin'
  },
  {
    method: 'POST',
    path: '/received_messages',
    prepare: async () => ({ body: `Subject: ${unique()}` }),
    data: shapes.receivedMessage,
    needs: 'subscriber.update'
  },
  {
    method: 'GET',
    path: '/received_messages',
    prepare: receivedMessage,
    data: [shapes.receivedMessage],
    pages: 'numbers',
    needs: 'subscriber.read'
  },
  {
    method: 'GET',
    path: '/received_messages/{id}/raw',
    prepare: receivedMessage,
    data: 'text',
    needs: 'subscriber.read'
  }
]

async function oneWebhook({ api }: StartedApplication): Promise<Prepared & { id: number }> {
  const { url } = await webhookReceiver()
  const webhook = { name: unique(), url, allows_private_addresses: true }
  const { id } = expectSuccess(await api.post<{ id: number }>('/webhooks', { webhook }))
  return { id, parameters: { id } }
}

async function deliveredMessage(started: StartedApplication): Promise<Prepared> {
  const { id } = await oneWebhook(started)
  await makeSubscriber(started.api, (await makeList(started.api)).id, 'somebody@example.com')
  const path = `/webhooks/${id}/messages?state=delivered`
  const messages = async () =>
    expectSuccess(await started.api.get<{ messages: { id: number }[] }>(path)).messages
  await until(async () => (await messages()).length === 1)
  return { parameters: { id, message_id: (await messages())[0]?.id ?? 0 } }
}

async function webhookWithSecrets(started: StartedApplication): Promise<Prepared> {
  const { id } = await oneWebhook(started)
  expectSuccess(await started.api.post(`/webhooks/${id}/secrets`))
  return { parameters: { id, secret_id: 1 } }
}

const events: Endpoint[] = [
  {
    method: 'GET',
    path: '/events',
    prepare: deliveredMessage,
    data: { events: 'any', next_page_token: 'string?' },
    needs: 'subscriber.read'
  },
  {
    method: 'GET',
    path: '/events/follow',
    prepare: deliveredMessage,
    data: { events: 'any', last: 'integer' },
    needs: 'subscriber.read'
  }
]

const publicPages: Endpoint[] = [
  {
    method: 'GET',
    path: '/mailing_lists/{mailing_list_id}/public_pages',
    prepare: listOnly,
    data: shapes.publicPages
  },
  {
    method: 'PUT',
    path: '/mailing_lists/{mailing_list_id}/public_pages',
    prepare: async (started) => ({
      ...(await listOnly(started)),
      body: { public_pages: { color: '#8a1c7c' } }
    }),
    data: shapes.publicPages,
    needs: 'mailing_list.update'
  }
]

const webhookEndpoints: Endpoint[] = [
  { method: 'GET', path: '/webhooks', prepare: oneWebhook, data: [shapes.webhook] },
  { method: 'GET', path: '/webhooks/{id}', prepare: oneWebhook, data: shapes.webhook },
  {
    method: 'POST',
    path: '/webhooks',
    prepare: async () => ({ body: { webhook: { name: unique(), url: 'https://example.com/' } } }),
    data: { ...(shapes.webhook as Record<string, Shape>), secret: 'string' }
  },
  {
    method: 'PUT',
    path: '/webhooks/{id}',
    prepare: async (started) => ({ ...(await oneWebhook(started)), body: { webhook: { batch_size: 10 } } }),
    data: shapes.webhook
  },
  { method: 'DELETE', path: '/webhooks/{id}', prepare: oneWebhook, data: 'null' },
  {
    method: 'POST',
    path: '/webhooks/{id}/test',
    prepare: oneWebhook,
    data: { is_accepted: 'boolean', status: 'integer?', milliseconds: 'integer', answer: 'string' }
  },
  {
    method: 'GET',
    path: '/webhooks/{id}/secrets',
    prepare: oneWebhook,
    data: [{ id: 'integer', created_at: 'timestamp', ends_with: 'string' }]
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/secrets',
    prepare: oneWebhook,
    data: { id: 'integer', created_at: 'timestamp', ends_with: 'string', secret: 'string' }
  },
  {
    method: 'DELETE',
    path: '/webhooks/{id}/secrets/{secret_id}',
    prepare: webhookWithSecrets,
    data: 'null'
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/replay',
    prepare: async (started) => ({ ...(await oneWebhook(started)), body: { replay: { since: 0 } } }),
    data: shapes.webhook
  },
  {
    method: 'GET',
    path: '/webhooks/{id}/messages',
    prepare: deliveredMessage,
    data: { messages: [shapes.webhookMessage], next_page_token: 'string?' }
  },
  {
    method: 'POST',
    path: '/webhooks/{id}/messages/{message_id}/replay',
    prepare: deliveredMessage,
    data: shapes.webhookMessage
  }
]
const webhooks = webhookEndpoints.map((endpoint) => ({ ...endpoint, needs: 'organization_admin' }))

const judged: Shape = {
  reports: 'integer',
  changed_verdicts: 'integer',
  bounced: 'integer',
  active: 'integer'
}

async function judgedBounces({ api }: StartedApplication): Promise<Prepared> {
  return { parameters: { id: expectSuccess(await api.post<{ id: number }>('/judgements')).id } }
}

const judging: Endpoint[] = [
  {
    method: 'GET',
    path: '/judgements/preview',
    prepare: async () => ({}),
    data: { ...judged, subscribers: 'any' },
    needs: 'organization_admin'
  },
  {
    method: 'POST',
    path: '/judgements',
    prepare: async () => ({}),
    data: { id: 'integer', ...judged },
    needs: 'organization_admin'
  },
  {
    method: 'POST',
    path: '/judgements/{id}/undo',
    prepare: judgedBounces,
    data: { changed: 'integer' },
    needs: 'organization_admin'
  }
]

const sending: Endpoint[] = [
  ...attachmentsOf('campaigns', 'campaign.update', listWithCampaign),
  ...attachmentsOf('templates', 'campaign/template.update', listWithTemplate),
  {
    method: 'POST',
    path: '/campaigns/{id}/rehearsal',
    prepare: listWithCampaign,
    data: shapes.rehearsal,
    needs: 'campaign.update'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/rehearsal',
    prepare: rehearsedCampaign,
    data: shapes.rehearsal,
    needs: 'campaign.update'
  },
  {
    method: 'DELETE',
    path: '/campaigns/{id}/rehearsal',
    prepare: rehearsedCampaign,
    data: shapes.rehearsal,
    needs: 'campaign.update'
  },
  { method: 'GET', path: '/smtp_servers', prepare: oneSmtpServer, data: [shapes.smtpServer] },
  { method: 'GET', path: '/smtp_servers/{id}', prepare: oneSmtpServer, data: shapes.smtpServer },
  {
    method: 'POST',
    path: '/smtp_servers',
    prepare: async () => ({ body: smtpServerBody() }),
    data: shapes.smtpServer,
    needs: 'organization_admin'
  },
  {
    method: 'PUT',
    path: '/smtp_servers/{id}',
    prepare: async (started) => ({
      ...(await oneSmtpServer(started)),
      body: { smtp_server: { connections: 2 } }
    }),
    data: shapes.smtpServer,
    needs: 'organization_admin'
  },
  {
    method: 'DELETE',
    path: '/smtp_servers/{id}',
    prepare: oneSmtpServer,
    data: 'null',
    needs: 'organization_admin'
  },
  {
    method: 'POST',
    path: '/smtp_servers/{id}/test',
    prepare: async (started) => ({
      ...(await oneSmtpServer(started)),
      body: { test: { recipient: 'anna@example.com' } }
    }),
    data: { is_accepted: 'boolean', reply: 'string', conversation: [{ from: 'string', text: 'string' }] },
    needs: 'organization_admin'
  },
  { method: 'GET', path: '/delivery_routes', prepare: async () => ({}), data: [shapes.deliveryRoute] },
  {
    method: 'PUT',
    path: '/delivery_routes/{id}',
    prepare: async (started) => ({
      ...(await made(started, '/virtual_mtas', { virtual_mta: { name: unique() } })),
      body: { delivery_route: { smtp_server_ids: [] } }
    }),
    data: shapes.deliveryRoute,
    needs: 'organization_admin'
  },
  {
    method: 'GET',
    path: '/delivery_options',
    prepare: async () => ({}),
    data: {
      unsubscribes_elsewhere: 'boolean',
      soft_bounces: 'integer',
      soft_bounce_days: 'integer',
      winner_counts_machines: 'boolean',
      receives_unsubscribes: 'boolean'
    }
  },
  {
    method: 'PUT',
    path: '/delivery_options',
    prepare: async () => ({ body: { delivery_options: { unsubscribes_elsewhere: false } } }),
    data: {
      unsubscribes_elsewhere: 'boolean',
      soft_bounces: 'integer',
      soft_bounce_days: 'integer',
      winner_counts_machines: 'boolean',
      receives_unsubscribes: 'boolean'
    },
    needs: 'organization_admin'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/history',
    prepare: sentCampaign,
    data: [{ occurred_at: 'timestamp', message: 'string' }],
    needs: 'campaign.read_stats'
  },
  {
    method: 'PUT',
    path: '/campaigns/{id}/speed',
    prepare: async (started) => ({
      ...(await scheduledCampaign(started)),
      body: { campaign: { speed: 100 } }
    }),
    data: shapes.campaign,
    needs: 'campaign.update_state'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/journal',
    prepare: sentCampaign,
    data: shapes.journalCounts,
    needs: 'campaign.read_stats'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/journal/messages',
    prepare: sentCampaign,
    data: { messages: [shapes.journaledMessage], next_page_token: 'string?' },
    needs: 'subscriber.read'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/journal/export',
    prepare: sentCampaign,
    data: 'text',
    needs: 'subscriber.export'
  },
  {
    method: 'GET',
    path: '/campaigns/{id}/journal/previews',
    prepare: (started) => previewed(started, 'campaigns', listWithCampaign),
    data: [shapes.journaledMessage],
    needs: 'campaign.send or campaign.update'
  },
  {
    method: 'GET',
    path: '/autoresponders/{id}/journal/previews',
    prepare: (started) => previewed(started, 'autoresponders', autoresponderToPreview),
    data: [shapes.journaledMessage],
    needs: 'autoresponder.update'
  },
  {
    method: 'GET',
    path: '/autoresponders/{id}/journal',
    prepare: async (started) => {
      const { parameters } = await listWithAutoresponder(started)
      return { parameters: { id: parameters?.['autoresponder_id'] ?? 0 } }
    },
    data: shapes.journalCounts
  },
  {
    method: 'GET',
    path: '/autoresponders/{id}/journal/messages',
    prepare: async (started) => {
      const { parameters } = await listWithAutoresponder(started)
      return { parameters: { id: parameters?.['autoresponder_id'] ?? 0 } }
    },
    data: { messages: [shapes.journaledMessage], next_page_token: 'string?' },
    needs: 'subscriber.read'
  },
  {
    method: 'GET',
    path: '/web_forms/{id}/journal',
    prepare: listWithForm,
    data: shapes.journalCounts
  },
  {
    method: 'GET',
    path: '/web_forms/{id}/journal/messages',
    prepare: listWithForm,
    data: { messages: [shapes.journaledMessage], next_page_token: 'string?' },
    needs: 'subscriber.read'
  },
  {
    method: 'POST',
    path: '/campaigns/{id}/journal/resend_uncertain',
    prepare: sentCampaign,
    data: { messages: 'integer' },
    needs: 'campaign.send'
  }
]

const seedListBody = (): unknown => ({
  seed_list: { name: unique(), addresses_array: ['seed@example.com'] }
})
const oneSeedList = (started: StartedApplication): Promise<Prepared> =>
  made(started, '/seed_lists', seedListBody())
const seedLists: Endpoint[] = [
  { method: 'GET', path: '/seed_lists', prepare: oneSeedList, data: [shapes.seedList] },
  { method: 'GET', path: '/seed_lists/{id}', prepare: oneSeedList, data: shapes.seedList },
  {
    method: 'POST',
    path: '/seed_lists',
    prepare: async () => ({ body: seedListBody() }),
    data: shapes.seedList,
    needs: 'seed_list.create'
  },
  {
    method: 'PUT',
    path: '/seed_lists/{id}',
    prepare: async (started) => ({ ...(await oneSeedList(started)), body: seedListBody() }),
    data: shapes.seedList,
    needs: 'seed_list.update'
  },
  {
    method: 'DELETE',
    path: '/seed_lists/{id}',
    prepare: oneSeedList,
    data: 'null',
    needs: 'seed_list.delete'
  }
]

async function filledSuppressionList({ api }: StartedApplication, body?: unknown): Promise<Prepared> {
  const { data } = await api.post<{ id: number }>('/suppression_lists', {
    suppression_list: { name: unique() }
  })
  const addresses = ['nobody@example.net', '@example.org', 'd41d8cd98f00b204e9800998ecf8427e']
  await api.post(`/suppression_lists/${data.id}/suppressed_addresses/create_multiple`, { data: addresses })
  return { parameters: { id: data.id, id_or_address: 'nobody%40example.net' }, body }
}

const suppressionLists: Endpoint[] = [
  {
    method: 'GET',
    path: '/suppression_lists',
    prepare: filledSuppressionList,
    data: [shapes.suppressionList]
  },
  {
    method: 'GET',
    path: '/suppression_lists/{id}',
    prepare: filledSuppressionList,
    data: shapes.suppressionList
  },
  {
    method: 'POST',
    path: '/suppression_lists',
    prepare: async () => ({ body: { suppression_list: { name: unique() } } }),
    data: shapes.suppressionList,
    needs: 'organization_admin'
  },
  {
    method: 'PUT',
    path: '/suppression_lists/{id}',
    prepare: (started) => filledSuppressionList(started, { suppression_list: { name: unique() } }),
    data: shapes.suppressionList,
    needs: 'organization_admin'
  },
  {
    method: 'GET',
    path: '/suppression_lists/{id}/suppressed_addresses',
    prepare: filledSuppressionList,
    data: [shapes.suppressedAddress],
    pages: 'numbers',
    needs: 'subscriber.read'
  },
  {
    method: 'POST',
    path: '/suppression_lists/{id}/suppressed_addresses/create_multiple',
    prepare: (started) => filledSuppressionList(started, { data: ['a@example.net'] }),
    data: 'null',
    needs: 'organization_admin'
  },
  {
    method: 'DELETE',
    path: '/suppression_lists/{id}/suppressed_addresses/{id_or_address}',
    prepare: filledSuppressionList,
    data: 'null',
    needs: 'organization_admin'
  }
]

async function withJob(started: StartedApplication): Promise<Prepared> {
  await scheduledCampaign(started)
  return { parameters: { organization_id: started.app.organizationId } }
}

const jobs = (['all', 'unfinished'] as const).flatMap((which): Endpoint[] => {
  const answer: Omit<Endpoint, 'path'> = {
    method: 'GET',
    prepare: withJob,
    data: [shapes.job],
    pages: 'numbers'
  }
  return [
    { ...answer, path: `/jobs/${which}` },
    { ...answer, path: `/jobs/${which}_on_all_organizations`, needs: 'system_admin' },
    { ...answer, path: `/organizations/{organization_id}/jobs/${which}`, needs: 'system_admin' }
  ]
})

async function otherOrganization(started: StartedApplication, body?: unknown): Promise<Prepared> {
  const id = await makeOrganization(started)
  return { parameters: { id, organization_id: id }, body }
}

const organizations: Endpoint[] = [
  {
    method: 'GET',
    path: '/organizations',
    prepare: otherOrganization,
    data: [shapes.organization],
    needs: 'system_admin'
  },
  {
    method: 'GET',
    path: '/organizations/{id}',
    prepare: otherOrganization,
    data: shapes.organization,
    needs: 'system_admin'
  },
  {
    method: 'POST',
    path: '/organizations',
    prepare: async () => ({ body: { organization: { name: unique() } } }),
    data: shapes.organization,
    needs: 'system_admin'
  },
  {
    method: 'PUT',
    path: '/organizations/{id}',
    prepare: (started) => otherOrganization(started, { organization: { name: unique() } }),
    data: shapes.organization,
    needs: 'system_admin'
  }
]

async function oneUser(started: StartedApplication, body?: unknown): Promise<Prepared> {
  const { id } = await makeUser(started)
  return { parameters: { id, organization_id: started.app.organizationId }, body }
}

const users: Endpoint[] = [
  { method: 'GET', path: '/users', prepare: oneUser, data: [shapes.user], pages: 'numbers' },
  {
    method: 'GET',
    path: '/organizations/{organization_id}/users',
    prepare: oneUser,
    data: [shapes.user],
    pages: 'numbers',
    needs: 'system_admin'
  },
  { method: 'GET', path: '/users/{id}', prepare: oneUser, data: shapes.user },
  {
    method: 'POST',
    path: '/users',
    prepare: async () => ({
      body: {
        user: {
          full_name: 'Somebody New',
          email: `${unique().replaceAll(' ', '-')}@example.org`,
          active: true,
          role: 'standard',
          password1: 'correct horse',
          password2: 'correct horse'
        }
      }
    }),
    data: shapes.user,
    needs: 'organization_admin'
  },
  {
    method: 'PUT',
    path: '/users/{id}',
    prepare: (started) => oneUser(started, { user: { full_name: unique() } }),
    data: shapes.user,
    needs: 'organization_admin'
  },
  {
    method: 'PUT',
    path: '/users/{id}/reset_password_failure_lockout',
    prepare: (started) => oneUser(started, {}),
    data: { result: 'string' },
    needs: 'organization_admin'
  },
  {
    method: 'DELETE',
    path: '/users/{id}',
    prepare: oneUser,
    data: 'null',
    needs: 'organization_admin'
  }
]

export const endpoints: Endpoint[] = [
  ...mailingLists,
  ...customFields,
  ...subscribers,
  ...subscriberImports,
  ...subscriberExports,
  ...segments,
  ...campaigns,
  ...templates,
  ...statistics,
  ...jobs,
  ...autoresponders,
  ...webForms,
  ...seedLists,
  ...suppressionLists,
  ...deliverySettings,
  ...sending,
  ...receiving,
  ...writeBacks,
  ...events,
  ...judging,
  ...publicPages,
  ...webhooks,
  ...dkimKeys,
  ...organizations,
  ...users
]

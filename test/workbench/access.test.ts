import { fastify } from 'fastify'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApplicationContext } from '../../src-main/http/context.ts'
import type { Segment } from '../../src-main/api/segments/schema.ts'
import { validatorCompiler } from '../../src-main/http/validation.ts'
import { registerWorkbench } from '../../src-main/workbench/index.ts'
import { clientOfUser, makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { plainReading } from '../support/contact-files.ts'
import { sharedApplication } from '../support/application.ts'
import { type PermissionKey, permissionActions } from '../../src-main/http/caller.ts'
import { act, select } from '../support/bulk-actions.ts'
import { importText, makeCampaign, makeList, makeSegment, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { sqliteFile } from '../support/remote-lists.ts'

const started = sharedApplication()

/** A route that only the window uses. */
interface WorkbenchRoute {
  needs?: string
  alsoNeeds?: string[]
  /**
   * Creates a record of another organization.
   * @returns the path's parameters
   */
  foreign?: () => Promise<Record<string, string | number>>
}

const ofList = async () => ({ mailing_list_id: (await makeList(started.api)).id })
const ofSegment = async () => {
  const { id } = await makeList(started.api)
  const segment: Segment = await makeSegment(started.api, id)
  return { id: segment.id }
}
const ofSubscriber = async () => {
  const { id } = await makeList(started.api)
  return { id: (await makeSubscriber(started.api, id, 'a@example.com')).id }
}
const ofCampaign = async () => {
  const { id } = await makeList(started.api)
  return { id: (await makeCampaign(started.api, id)).id }
}
const ofImport = async () => {
  const { id } = await makeList(started.api)
  return { id: (await importText(started.api, id, 'email\na@example.com')).id }
}
const ofKey = async () => {
  await started.api.workbench('POST', '/api_keys', { name: 'foreign' })
  const { data } = await started.api.workbench<{ id: number }[]>('GET', '/api_keys')
  return { id: data[0]?.id ?? 0 }
}
const ofSuppressionList = async () => {
  const suppression_list = { name: randomUUID() }
  return { id: (await started.api.post<{ id: number }>('/suppression_lists', { suppression_list })).data.id }
}
const ofRemote = async () => {
  const remote = { base_url: 'http://127.0.0.1:1', organization_id: 1, api_key: 'key' }
  return {
    id: (await started.api.workbench<{ id: number }>('POST', '/remotes', remote)).data.id,
    conflict_id: 1
  }
}
const ofFile = async () => {
  const { id } = await ofSuppressionList()
  await started.api.raw('/app/v1/uploads/never.csv', { method: 'PUT', body: 'a@example.com' })
  const path = `/suppression_lists/${id}/suppressed_address_imports`
  return {
    id: (await started.api.workbench<{ id: number }>('POST', path, { filename: 'never.csv' })).data.id
  }
}
const ofSelection = async () => {
  const { id } = await makeList(started.api)
  return { id: (await select(started.api, id)).id }
}
const ofBulkAction = async () => {
  const { id } = await makeList(started.api)
  return { id: (await act(started.api, await select(started.api, id), { kind: 'delete' })).id }
}
const ofDryRun = async () => ({ id: randomUUID(), log: 'failed' })
const ofSchedule = async () => {
  const { mailing_list_id } = await ofList()
  const database_connection = {
    name: `Shop ${mailing_list_id}`,
    engine: 'sqlite',
    database: (await sqliteFile()).database
  }
  const connection = await started.api.post<{ id: number }>('/database_connections', { database_connection })
  const schedule = { ...(bodies['import_schedules'] as object), database_connection_id: connection.data.id }
  const path = `/mailing_lists/${mailing_list_id}/import_schedules`
  const { data } = await started.api.workbench<{ id: number }>('POST', path, schedule)
  return { id: data.id }
}
const ofMapping = async () => ({ ...(await ofList()), id: 1 })

/** This test's own table: every route of /app/v1 with who may use it. */
const table: Record<string, WorkbenchRoute> = {
  'GET /api_access': {},
  'POST /api_keys': {},
  'GET /api_keys': {},
  'DELETE /api_keys/:id': { foreign: ofKey },
  'GET /about': {},
  'GET /about/libraries': {},
  'POST /about/look': { needs: 'system_admin' },
  'POST /about/update': { needs: 'system_admin' },
  'POST /windows': { needs: 'system_admin' },
  'GET /windows': {},
  // Windows belong to users, not to an organization: test/workbench/windows.test.ts.
  'DELETE /windows/:id': {},
  'POST /tickets': {},
  'GET /audit_log': { needs: 'organization_admin' },
  'GET /audit_log/csv': { needs: 'organization_admin' },
  'GET /backups': { needs: 'system_admin' },
  'GET /integrity': {},
  'POST /integrity/accept': { needs: 'system_admin' },
  'POST /backups': { needs: 'system_admin' },
  'POST /backups/recover': { needs: 'system_admin' },
  'GET /backups/:name/losses': { needs: 'system_admin' },
  'POST /backups/:name/archive': { needs: 'system_admin' },
  'GET /backups/:name/archive': { needs: 'system_admin' },
  'POST /backups/:name/encrypted': { needs: 'system_admin' },
  'GET /backups/:name/encrypted': { needs: 'system_admin' },
  'PUT /backups/copies': { needs: 'system_admin' },
  'DELETE /backups/copies': { needs: 'system_admin' },
  'PUT /backups/import': { needs: 'system_admin' },
  'POST /backups/:name/verify': { needs: 'system_admin' },
  'POST /backups/:name/restore': { needs: 'system_admin' },
  'DELETE /backups/restore': { needs: 'system_admin' },
  'DELETE /backups/:name': { needs: 'system_admin' },
  // What an action and its undoing ask for is decided by its kind: test/bulk-actions.
  'GET /bulk_actions': { needs: 'subscriber.read' },
  'GET /bulk_actions/:id': { needs: 'subscriber.read', foreign: ofBulkAction },
  'GET /bulk_actions/:id/kept': { needs: 'subscriber.read', foreign: ofBulkAction },
  'POST /bulk_actions/:id/cancel': { foreign: ofBulkAction },
  'POST /bulk_actions/:id/undo': { foreign: ofBulkAction },
  'POST /mailing_lists/:mailing_list_id/selections': { needs: 'subscriber.read', foreign: ofList },
  'POST /selections/:id/bulk_actions': { foreign: ofSelection },
  'POST /selections/:id/exports': { needs: 'subscriber.export', foreign: ofSelection },
  'GET /campaigns': {},
  'GET /mailing_lists': {},
  'GET /mailing_lists/:mailing_list_id/campaign_names': { foreign: ofList },
  'GET /mailing_lists/:mailing_list_id/templates': { foreign: ofList },
  'POST /campaigns/:id/duplicate': { needs: 'campaign.create', foreign: ofCampaign },
  'GET /campaigns/:id/progress': { needs: 'campaign.read_stats', foreign: ofCampaign },
  'GET /campaigns/:id/outbox': {
    needs: 'subscriber.read',
    alsoNeeds: ['campaign.read_stats'],
    foreign: ofCampaign
  },
  'GET /previews': { needs: 'subscriber.read', alsoNeeds: ['campaign.send'] },
  'POST /images': { needs: 'campaign.create or campaign.update' },
  'POST /mailing_lists/:mailing_list_id/content_preview': { foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/public_page_previews': { foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/form_page_previews': { foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/dry_runs': { needs: 'subscriber.import', foreign: ofList },
  'GET /dry_runs/:id': { needs: 'subscriber.import', foreign: ofDryRun },
  'GET /dry_runs/:id/logs/:log': { needs: 'subscriber.import', foreign: ofDryRun },
  'DELETE /dry_runs/:id': { needs: 'subscriber.import', foreign: ofDryRun },
  'GET /deleted_lists': { needs: 'mailing_list.create' },
  'POST /deleted_lists/:id/purge': { needs: 'mailing_list.delete', foreign: ofList },
  // Each kind of record asks for a permission of its own: test/undo/record-undo.test.ts.
  'POST /changes/:id/undo': {},
  'POST /deleted_records/:entity/:id/restore': {},
  // Each caller sees their own: test/workbench/drafts.test.ts.
  'GET /drafts': {},
  'GET /drafts/:name': {},
  'PUT /drafts/:name': {},
  'DELETE /drafts/:name': {},
  'GET /events': {},
  'GET /mailing_lists/:mailing_list_id/domains': { needs: 'subscriber.read', foreign: ofList },
  'GET /mailing_lists/:mailing_list_id/held_messages': { foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/held_messages/send': {
    needs: 'autoresponder.update_state',
    foreign: ofList
  },
  'DELETE /mailing_lists/:mailing_list_id/held_messages': {
    needs: 'autoresponder.update_state',
    foreign: ofList
  },
  'POST /mailing_lists/:mailing_list_id/query_previews': { needs: 'campaign.create', foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/query_checks': { needs: 'campaign.create', foreign: ofList },
  'GET /mailing_lists/:mailing_list_id/queries': { needs: 'campaign.create', foreign: ofList },
  'GET /disk_space': {},
  'GET /database_faults': {},
  'GET /subscriber_growth': {},
  'GET /mailing_lists/:mailing_list_id/import_mappings': { needs: 'subscriber.import', foreign: ofList },
  'PUT /mailing_lists/:mailing_list_id/import_mappings': { needs: 'subscriber.import', foreign: ofList },
  'DELETE /mailing_lists/:mailing_list_id/import_mappings/:id': {
    needs: 'subscriber.import',
    foreign: ofMapping
  },
  'POST /mailing_lists/:mailing_list_id/file_analyses': { needs: 'subscriber.import', foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/row_previews': { needs: 'subscriber.import', foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/file_imports': { needs: 'subscriber.import', foreign: ofList },
  'GET /subscriber_imports': { needs: 'subscriber.import' },
  'GET /mailing_lists/:mailing_list_id/imports_that_added': { needs: 'subscriber.read', foreign: ofList },
  'GET /subscriber_imports/:id/links': { needs: 'subscriber.import', foreign: ofImport },
  'GET /subscriber_imports/:id/failed_rows': { needs: 'subscriber.import', foreign: ofImport },
  'POST /subscriber_imports/:id/corrections': { needs: 'subscriber.import', foreign: ofImport },
  'GET /subscriber_imports/:id/failed_rows_file': { needs: 'subscriber.import', foreign: ofImport },
  'GET /dry_runs/:id/failed_rows': { needs: 'subscriber.import', foreign: ofDryRun },
  'GET /subscriber_imports/:id/undo': { needs: 'subscriber.import', foreign: ofImport },
  'POST /subscriber_imports/:id/undo': {
    needs: 'subscriber.import',
    alsoNeeds: ['update', 'delete'],
    foreign: ofImport
  },
  'GET /subscriber_imports/:id/undo/kept': { needs: 'subscriber.import', foreign: ofImport },
  'GET /organization': {},
  'PUT /organization': { needs: 'organization_admin' },
  'GET /remotes': { needs: 'organization_admin' },
  'POST /remotes': { needs: 'organization_admin' },
  'POST /remotes/preview': { needs: 'organization_admin' },
  'GET /remotes/:id': { needs: 'organization_admin', foreign: ofRemote },
  'PUT /remotes/:id': { needs: 'organization_admin', foreign: ofRemote },
  'DELETE /remotes/:id': { needs: 'organization_admin', foreign: ofRemote },
  'POST /remotes/:id/run': { needs: 'organization_admin', foreign: ofRemote },
  'POST /remotes/:id/pause': { needs: 'organization_admin', foreign: ofRemote },
  'POST /remotes/:id/answer': { needs: 'organization_admin', foreign: ofRemote },
  'GET /remotes/:id/runs': { needs: 'organization_admin', foreign: ofRemote },
  'GET /remotes/:id/refusals': { needs: 'organization_admin', foreign: ofRemote },
  'POST /remotes/:id/refusals/retry': { needs: 'organization_admin', foreign: ofRemote },
  'GET /remotes/:id/conflicts': { needs: 'organization_admin', foreign: ofRemote },
  'POST /remotes/:id/conflicts/:conflict_id/decide': { needs: 'organization_admin', foreign: ofRemote },
  'GET /remotes/:id/campaigns': { needs: 'organization_admin', foreign: ofRemote },
  'POST /remotes/:id/verify': { needs: 'organization_admin', foreign: ofRemote },
  'GET /search': {},
  'GET /segments/:id/counts': { foreign: ofSegment },
  'GET /mailing_lists/:mailing_list_id/referring_segments': { foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/segment_counts': { foreign: ofList },
  'POST /session/link': { needs: 'public' },
  'GET /session': {},
  'POST /session': { needs: 'public' },
  'DELETE /session': {},
  'PUT /session/organization': { needs: 'system_admin' },
  'PUT /session/terms': {},
  'PUT /session/password': {},
  'GET /settings': {},
  'PUT /settings': { needs: 'system_admin' },
  'GET /subscribers/:id/surroundings': { needs: 'subscriber.read', foreign: ofSubscriber },
  'POST /subscribers/:id/history/:change_id/undo': { needs: 'subscriber.update' },
  'POST /subscribers/:id/restore': { needs: 'subscriber.create' },
  'GET /subscribers/:id/history': { needs: 'subscriber.read', foreign: ofSubscriber },
  'POST /mailing_lists/:mailing_list_id/subscriber_table': { needs: 'subscriber.read', foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/segments': {
    needs: 'segmentation_criteria.create',
    foreign: ofList
  },
  'PUT /segments/:id': { needs: 'segmentation_criteria.update', foreign: ofSegment },
  'GET /suppression_lists/:id/suppressed_address_imports': {
    needs: 'subscriber.read',
    foreign: ofSuppressionList
  },
  'POST /suppression_lists/:id/suppressed_address_imports': {
    needs: 'organization_admin',
    foreign: ofSuppressionList
  },
  'POST /suppressed_address_imports/:id/pause': { needs: 'organization_admin', foreign: ofFile },
  'POST /suppressed_address_imports/:id/unpause': { needs: 'organization_admin', foreign: ofFile },
  'POST /suppressed_address_imports/:id/cancel': { needs: 'organization_admin', foreign: ofFile },
  'GET /mailing_lists/:mailing_list_id/table_views': { needs: 'subscriber.read', foreign: ofList },
  'PUT /mailing_lists/:mailing_list_id/table_views': {
    needs: 'segmentation_criteria.create or segmentation_criteria.update',
    foreign: ofList
  },
  'DELETE /mailing_lists/:mailing_list_id/table_views/:id': {
    needs: 'segmentation_criteria.delete',
    foreign: ofList
  },
  'PUT /uploads/:filename': { needs: 'subscriber.import' },
  'POST /url_uploads': { needs: 'subscriber.import' },
  'GET /database_sources': { needs: 'subscriber.import' },
  'POST /database_uploads': { needs: 'subscriber.import' },
  'GET /mailing_lists/:mailing_list_id/import_schedules': { needs: 'subscriber.import', foreign: ofList },
  'POST /mailing_lists/:mailing_list_id/import_schedules': { needs: 'subscriber.import', foreign: ofList },
  'PUT /import_schedules/:id': { needs: 'subscriber.import', foreign: ofSchedule },
  'DELETE /import_schedules/:id': { needs: 'subscriber.import', foreign: ofSchedule }
}

const segmentBody = {
  segmentation_criteria: {
    name: 'Segment',
    clause: [{ type: 'in_mailing_list', operator: 'is in', mailing_list_id: 1 }]
  }
}

const bodies: Record<string, unknown> = {
  answer: { answer: 'send_again' },
  decide: { keep: 'local' },
  bulk_actions: { kind: 'delete' },
  content_preview: { subject: '', html: '', text: '', name: '' },
  duplicate: { name: 'Copy' },
  corrections: { rows: [{ place: 0, cells: ['a@example.com'] }] },
  dry_runs: { filename: 'file.csv', reading: plainReading(['email']) },
  import_mappings: {
    name: 'Mapping',
    columns: [{ header: 'email', target: 'email' }],
    date_format: 'mdy',
    subscriber_defaults: {},
    overwrite: false,
    overwrite_what: {},
    overwrite_when_status: {}
  },
  public_page_previews: {
    page: 'unsubscribe',
    language: 'en',
    settings: { language: null, color: '', logo: '', is_public: false, description: '' }
  },
  database_uploads: { database_connection_id: 1, query: 'SELECT 1' },
  import_schedules: {
    database_connection_id: 1,
    query: 'SELECT 1',
    every_minutes: 60,
    reading: plainReading(['email'])
  },
  query_previews: { query: 'SELECT 1' },
  query_checks: { query: 'SELECT 1' },
  form_page_previews: { page: 'signUp', form: {} },
  file_analyses: { filename: 'file.csv' },
  row_previews: { reading: plainReading(['email']), rows: [['a@example.com']] },
  file_imports: { filename: 'file.csv', reading: plainReading(['email']) },
  segment_counts: { clause: [] },
  segments: segmentBody,
  ':id': segmentBody,
  table_views: {
    name: 'View',
    clause: [],
    segment_id: null,
    sort: null,
    columns: [{ key: 'email', width: null }]
  },
  suppressed_address_imports: { filename: 'file.csv' }
}

function call(
  client: Client,
  route: string,
  parameters: Record<string, string | number> = {}
): Promise<Response> {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replaceAll(/:(\w+)/g, (_match, name: string) => String(parameters[name] ?? 1))
  const body = bodies[pattern.split('/').at(-1) ?? ''] ?? {}
  return client.raw(`/app/v1${path}`, {
    method,
    signal: AbortSignal.timeout(5000),
    ...(method !== 'GET' && method !== 'DELETE' && { body: JSON.stringify(body) })
  })
}

it('every route of the window has a row in the access table of this file', async () => {
  const found: string[] = []
  const app = fastify()
  // The workbench plugins destructure the context when they are registered. A stub is enough because no request is made.
  app.decorate('context', { writer: { onChanges: () => undefined } } as unknown as ApplicationContext)
  app.setValidatorCompiler(validatorCompiler)
  app.addHook('onRoute', ({ method, url }) => void found.push(`${String(method)} ${url}`))
  await app.register(registerWorkbench)
  await app.ready()
  expect(found.filter((route) => !route.startsWith('HEAD')).sort()).toEqual(Object.keys(table).sort())
})

function permissionsOf(named: string[]): Record<string, string[]> {
  const byKey = Map.groupBy(named, (each) => each.split('.')[0] ?? '')
  return Object.fromEntries(
    [...byKey].map(([key, each]) => [key, each.map((permission) => permission.split('.')[1] ?? '')])
  )
}

const rows = Object.entries(table).map(([route, row]) => [route, row] as const)

describe('each route of the window requires a session or an API key', () => {
  it.each(rows.filter(([, { needs }]) => needs !== 'public'))('%s', async (route) => {
    const nobody = await call(
      { raw: (path, init) => fetch(started.app.baseUrl + path, init) } as Client,
      route
    )
    expect(nobody.status).toBe(401)
  })
})

describe('each route of the window is for those who may use it', () => {
  const guarded = rows.filter(([, { needs }]) => needs !== undefined && needs !== 'public')
  it.each(guarded)('%s', async (route, { needs = '', alsoNeeds = [] }) => {
    // Of several permissions one will do.
    const named = needs.split(' or ').map((each) => each.split('.') as [key: string, action: string])
    const [[key, action] = ['', '']] = named
    const known: readonly string[] = permissionActions[key as PermissionKey]
    const mayNot = needs.includes('.')
      ? { permissions: { [key]: known.filter((other) => !named.some(([, each]) => each === other)) } }
      : { role: needs === 'system_admin' ? ('organization_admin' as const) : ('standard' as const) }
    const refused = await call(await clientOfUser(started, mayNot), route)
    expect([refused.status, await refused.json()]).toMatchObject([403, { error_code: 'not_authorized' }])
    const may = needs.includes('.')
      ? {
          permissions: permissionsOf([
            `${key}.${action}`,
            ...alsoNeeds.map((also) => (also.includes('.') ? also : `${key}.${also}`))
          ])
        }
      : { role: needs as 'system_admin' }
    const allowed = await call(await clientOfUser(started, may), route)
    expect([401, 403]).not.toContain(allowed.status)
  })
})

describe('the records of one organization are not found by windows of another', () => {
  const named = rows.filter(([, { foreign }]) => foreign !== undefined)
  it.each(named)('%s', async (route, { foreign }) => {
    const organizationId = await makeOrganization(started)
    const parameters = await foreign?.()
    for (const stranger of [
      await clientOfUser(started, { organizationId, role: 'organization_admin' }),
      await systemAdminIn(started.app, organizationId)
    ]) {
      const response = await call(stranger, route, parameters)
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { success: false, error_code: 'not_found' }
      ])
    }
  })
})

describe('files that one organization uploads', () => {
  it('cannot be imported by another organization', async () => {
    const stranger = await systemAdminIn(started.app, await makeOrganization(started))
    await started.api.raw('/app/v1/uploads/secret.csv', { method: 'PUT', body: 'email\na@example.com' })
    const list = await makeList(stranger)
    const use = (filename: string) =>
      stranger.post(`/mailing_lists/${list.id}/subscriber_imports`, {
        subscriber_import: { column_mapping: ['email'], file_source: { type: 'upload_directory', filename } }
      })
    expect((await use('secret.csv')).error_message).toBe(
      'file_source.filename secret.csv is not in the upload directory'
    )
    await stranger.raw('/app/v1/uploads/own.csv', { method: 'PUT', body: 'email\na@example.com' })
    expect((await use('own.csv')).success).toBe(true)
  })
})

describe('people are shown to those alone who may read them', () => {
  it('as the recipients of a campaign, whose outbox takes more than statistics', async () => {
    const { id } = await ofCampaign()
    const mayReadStatistics = await clientOfUser(started, { permissions: { campaign: ['read_stats'] } })
    const mayReadBoth = await clientOfUser(started, {
      permissions: { campaign: ['read_stats'], subscriber: ['read'] }
    })
    expect((await mayReadStatistics.workbench('GET', `/campaigns/${id}/outbox`)).status).toBe(403)
    expect((await mayReadBoth.workbench('GET', `/campaigns/${id}/outbox`)).error_code).toBe('not_found')
  })

  it('as the members of a segment that asks what they are', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'secret@example.com')
    const clause = [{ type: 'email', operator: 'contains', value: 'secret' }]
    const { data } = await started.api.workbench<{ id: number }>(
      'POST',
      `/mailing_lists/${list.id}/segments`,
      {
        segmentation_criteria: { name: 'Guess', clause }
      }
    )
    const user = await clientOfUser(started, { permissions: {} })
    expect((await user.workbench('GET', `/segments/${data.id}/counts`)).status).toBe(403)
    expect((await started.api.workbench('GET', `/segments/${data.id}/counts`)).success).toBe(true)
  })
})

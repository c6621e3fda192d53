import type { CommandInput } from '../../src-main/database/command.ts'
import { commandBench } from './commands.ts'

/** A campaign that has begun, whose steps are taken one by one. */
export async function begunCampaign(
  contents = [{ subject: 'Hello', text: 'https://example.com', format: 'text' as const }],
  dispatch: CommandInput<'campaigns.create'>['campaign']['dispatch_attributes'] = {}
) {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  await bench.run('settings.ensureSigningSecret', undefined)
  const mailingListId = await bench.run('mailingLists.create', {
    organizationId: 1,
    list: { name: 'Readers' }
  })
  const scope = { organizationId: 1, timeZone: 'UTC', mailingListId }
  await bench.run('subscribers.create', {
    ...scope,
    subscriber: {
      email: 'a@example.com',
      status: 'active',
      custom_fields: {},
      apply_custom_field_defaults: false,
      skip_autoresponders: true,
      autoresponder_exclude_reacted: false
    }
  })
  const id = await bench.run('campaigns.create', {
    ...scope,
    kind: 'campaign',
    source: {
      source_template_id: null,
      duplicate_segmentation_criteria: false,
      duplicate_content: false,
      duplicate_dispatch: false
    },
    campaign: {
      name: 'News',
      dispatch_attributes: {
        begins_at: Math.floor(Date.now() / 1000) - 60,
        from_email: 'news@example.com',
        ...dispatch
      },
      contents,
      segmentation_criteria_ad_hoc: []
    }
  })
  const plan = await bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' })
  const row = (sql: string): unknown => bench.sqlite.prepare(sql).get()
  return { bench, id, mailingListId, plan, row }
}

import type { ContentInput } from '../../src-main/api/campaigns/schema.ts'
import type { CommandInput } from '../../src-main/database/command.ts'
import { addPerson } from './bulk-steps.ts'
import { commandBench } from './commands.ts'

/** A campaign that takes over nothing. */
export const fromNoTemplate: CommandInput<'campaigns.create'>['source'] = {
  source_template_id: null,
  duplicate_segmentation_criteria: false,
  duplicate_content: false,
  duplicate_dispatch: false
}

interface Readers {
  /** The properties of each subscriber except the email. */
  people?: readonly Parameters<typeof addPerson>[3][]
  list?: Omit<CommandInput<'mailingLists.create'>['list'], 'name'>
  seeds?: string[]
}

/**
 * A started campaign, whose steps are run one by one: to p1@example.com, p2@example.com and so on; by default
 * to one.
 */
export async function begunCampaign(
  contents: ContentInput[] = [{ subject: 'Hello', text: 'https://example.com', format: 'text' }],
  dispatch: CommandInput<'campaigns.create'>['campaign']['dispatch_attributes'] = {},
  { people = [{}], list = {}, seeds = [] }: Readers = {}
) {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  await bench.run('settings.ensureSigningSecret', undefined)
  const mailingListId = await bench.run('mailingLists.create', {
    organizationId: 1,
    list: { name: 'Readers', ...list }
  })
  const scope = { organizationId: 1, timeZone: 'UTC', mailingListId }
  const subscriberIds: number[] = []
  for (const [index, more] of people.entries())
    subscriberIds.push(await addPerson(bench, mailingListId, `p${index + 1}@example.com`, more))
  const seedListIds: number[] = []
  if (seeds.length > 0) {
    const seedList = { name: 'Ours', addresses_array: seeds }
    seedListIds.push((await bench.run('seedLists.create', { organizationId: 1, seedList })).id)
  }
  const id = await bench.run('campaigns.create', {
    ...scope,
    kind: 'campaign',
    source: fromNoTemplate,
    campaign: {
      name: 'News',
      dispatch_attributes: {
        begins_at: Math.floor(Date.now() / 1000) - 60,
        from_email: 'news@example.com',
        ...(seedListIds.length > 0 && { seed_list_ids: seedListIds }),
        ...dispatch
      },
      contents,
      segmentation_criteria_ad_hoc: []
    }
  })
  const plan = await bench.run('deliveries.begin', { id, linkBase: 'http://127.0.0.1' })
  const row = (sql: string): unknown => bench.sqlite.prepare(sql).get()
  return { bench, id, mailingListId, subscriberIds, plan, row }
}

import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../../src-main/base/errors.ts'
import { startWriter } from '../../src-main/start-writer.ts'
import { temporaryDirectory } from '../support/application.ts'
import { seededRandom } from '../support/random.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))

it(`checks a new subscriber by the latest fields and limit, in 10,000 random commands (SEED=${seed})`, async () => {
  const directory = await temporaryDirectory()
  const databasePath = join(directory, 'listwright.db')
  const writer = await startWriter({ databasePath, backupDirectory: directory })
  onTestFinished(() => writer.close())
  await writer.run('accounts.ensureSystemOrganization', undefined)
  const organizationId = 1
  const mailingListId = await writer.run('mailingLists.create', { organizationId, list: { name: 'L' } })
  const field = { name: 'even', field_type: 'text' as const }
  const { id } = await writer.run('customFields.create', { organizationId, mailingListId, field })
  const create = async (email: string, fieldName: string): Promise<string> => {
    const options = {
      apply_custom_field_defaults: false,
      skip_autoresponders: false,
      autoresponder_exclude_reacted: false
    }
    const subscriber = { email, status: 'active' as const, custom_fields: { [fieldName]: 'x' }, ...options }
    try {
      await writer.run('subscribers.create', { organizationId, timeZone: 'UTC', mailingListId, subscriber })
      return 'added'
    } catch (error) {
      if (error instanceof ApiError) return error.refusals.map(({ rule }) => rule).join()
      throw error
    }
  }
  const random = seededRandom(seed)
  const changes: Promise<unknown>[] = []
  const outcomes: Promise<string>[] = []
  const expected: string[] = []
  let name = 'even'
  let isFull = false

  // Nothing is awaited: commands run in the order in which they are sent, many of them in one transaction.
  for (let step = 0; step < 10_000; step++) {
    const chance = random()
    if (chance < 0.05) {
      name = name === 'even' ? 'odd' : 'even'
      changes.push(
        writer.run('customFields.update', { organizationId, mailingListId, id, changes: { name } })
      )
    } else if (chance < 0.1) {
      isFull = !isFull
      const subscriberLimit = isFull ? 0 : null
      changes.push(writer.run('organizations.limitSubscribers', { organizationId, subscriberLimit }))
    } else {
      const given = chance < 0.55 ? 'even' : 'odd'
      outcomes.push(create(`${step}@example.com`, given))
      const faults = [...(given === name ? [] : ['field_unknown']), ...(isFull ? ['subscriber_limit'] : [])]
      expected.push(faults.join() || 'added')
    }
  }

  await Promise.all(changes)
  expect(await Promise.all(outcomes)).toEqual(expected)
})

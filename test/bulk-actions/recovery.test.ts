import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { BulkAction } from '../../src-main/api/bulk-actions/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { bulkActionEnded, select } from '../support/bulk-actions.ts'
import { expectSuccess, importText, makeList } from '../support/builders.ts'
import { roundsToRun } from '../support/long.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const people = 40_000

it(
  `a bulk action and its undo continue after the application was killed, and change every subscriber once (SEED=${seed})`,
  { timeout: 240_000 },
  async () => {
    const random = seededRandom(seed)
    const directory = await temporaryDirectory()
    let running = await serve(directory)
    const { id: listId } = await makeList(running.api)
    const text = Array.from({ length: people }, (_, index) => `p${index}@example.com\n`).join('')
    await importText(running.api, listId, text, { file_format: { csv_has_headers: false } })
    const other = await makeList(running.api)

    async function killedNow(): Promise<void> {
      await pause(random() * 120)
      await running.end('SIGKILL')
      running = await serve(directory)
    }

    for (let round = 0; round < roundsToRun(2, 20); round++) {
      const selection = await select(running.api, listId)
      expect(selection.subscribers).toBe(people)
      const moves = { kind: 'move', mailing_list_id: other.id }
      const action = round % 2 === 0 ? moves : { kind: 'set_status', status: 'bounced' }
      const begun = await running.api.workbench<BulkAction>(
        'POST',
        `/selections/${selection.id}/bulk_actions`,
        action
      )
      const { id } = expectSuccess(begun)
      await killedNow()
      expect(await bulkActionEnded(running.api, id)).toMatchObject({
        state: 'finished',
        done: people,
        changed: people
      })
      const there = await select(running.api, action === moves ? other.id : listId)
      expect(there.statuses[action === moves ? 'active' : 'bounced']).toBe(people)
      expectSuccess(await running.api.workbench('POST', `/bulk_actions/${id}/undo`))
      await killedNow()
      expect(await bulkActionEnded(running.api, id)).toMatchObject({ state: 'undone', restored: people })
      expect((await select(running.api, listId)).statuses['active']).toBe(people)
      expect((await select(running.api, other.id)).subscribers).toBe(0)
    }
    await running.end('SIGTERM')
  }
)

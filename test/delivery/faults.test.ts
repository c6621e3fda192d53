import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { CampaignProgress } from '../../src-main/workbench/campaigns/endpoints.ts'
import { startApplication } from '../support/application.ts'
import { importText, makeCampaign, makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { outboxOf } from '../support/outbox.ts'
import { canMount, smallDisk } from '../support/small-disk.ts'

async function startCampaign(api: Client, recipients: number): Promise<number> {
  const list = await makeList(api)
  const emails = Array.from({ length: recipients }, (_, number) => `p${number}@example.com`)
  await importText(api, list.id, `email\n${emails.join('\n')}`)
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'text', text: 'x '.repeat(2000) }],
    dispatch_attributes: { from_email: 'sender@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  return id
}

async function progressOf(api: Client, id: number): Promise<CampaignProgress> {
  return (await api.workbench<CampaignProgress>('GET', `/campaigns/${id}/progress`)).data
}

describe.skipIf(!canMount)('a disk that is full', () => {
  it('pauses a campaign with a message; it continues once there is space, without repeating a recipient', async () => {
    const recipients = 5000
    const { directory, grow } = await smallDisk(25)
    const { api } = await startApplication(directory)
    const id = await startCampaign(api, recipients)
    const isPaused = async (): Promise<boolean> => {
      const { dispatch } = (await api.get<CampaignDetail>(`/campaigns/${id}`)).data
      if (dispatch?.state === 'finished') throw new Error('the disk was not full')
      return dispatch?.paused === true
    }
    while (!(await isPaused())) await pause(20)
    expect((await progressOf(api, id)).error_message).toBe(
      'the disk is full. Free some space, then continue the campaign'
    )
    const { stat_summary: before } = (await api.get<CampaignDetail>(`/campaigns/${id}`)).data
    expect(before?.messages_sent).toBeLessThan(recipients)
    expect(await outboxOf(directory, id)).toHaveLength(before?.messages_sent ?? -1)

    grow(200)
    await api.post(`/campaigns/${id}/resume`)
    expect((await api.sent(id)).stat_summary).toMatchObject({ messages_sent: recipients })
    expect((await progressOf(api, id)).error_message).toBeNull()
    const addresses = (await outboxOf(directory, id)).map(({ headers }) => headers.get('to'))
    expect(new Set(addresses).size).toBe(recipients)
    expect(addresses).toHaveLength(recipients)
  })
})

describe('an outbox that cannot be written', () => {
  it('fails a campaign with a sentence that says why', async () => {
    const { api, dataDirectory } = await startApplication()
    await writeFile(join(dataDirectory, 'outbox'), 'a file where the directory should be')
    const id = await startCampaign(api, 3)
    const { dispatch } = await api.sent(id)
    expect(dispatch).toMatchObject({ state: 'failed', state_description: 'Failed' })
    expect((await progressOf(api, id)).error_message).toMatch(
      /^Sending was stopped by an internal error: .*outbox/
    )
  })
})

import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import { allSubscribers, importText, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const started = sharedApplication()

async function filledList(count: number) {
  const list = await makeList(started.api)
  const number = await makeField(started.api, list.id, 'Number', 'number')
  const name = await makeField(started.api, list.id, 'Name', 'text')
  // Numbers and names are each other's reverse, so that keys of one would clash with keys of the other.
  const rows = Array.from({ length: count }, (_, row) => `p${row}@example.com,${row},${count - 1 - row}`)
  await importText(started.api, list.id, rows.join('\n'), {
    column_mapping: ['email', 'Number', 'Name'],
    file_format: { csv_has_headers: false }
  })
  return { id: list.id, number: number.id, name: name.id }
}

function setKey(
  listId: number,
  primary_key_custom_field_id: number | null,
  others: Record<string, unknown> = {}
) {
  return started.api.put<MailingList>(`/mailing_lists/${listId}`, {
    mailing_list: { primary_key_custom_field_id, ...others }
  })
}

describe('primary_key_custom_field_id', () => {
  it('changes on a list with subscribers: from the email to a field, to another field, and back', async () => {
    const list = await filledList(2500)
    for (const key of [list.number, list.name, null]) {
      const { data } = await setKey(list.id, key)
      expect(data.primary_key_custom_field_id).toBe(key)
      // A second subscriber with the same primary key must be refused, whichever key the list uses now.
      const taken = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
        subscriber: {
          email: key === null ? 'P7@example.com' : 'fresh@example.com',
          status: 'active',
          custom_fields: { Number: 7, Name: '7' }
        }
      })
      expect(taken.error_message).toMatch(/is the primary key for this mailing list/)
    }
    const all = await allSubscribers(started.api, list.id)
    expect(all).toHaveLength(2500)
  })

  it('is refused with the values that clash, and everything stays as it was', async () => {
    const list = await filledList(5)
    await makeSubscriber(started.api, list.id, 'twin@example.com', {
      custom_fields: { Number: 3, Name: 'x' }
    })
    const answer = await setKey(list.id, list.number, { d_from_name: 'Changed' })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^primary_key_custom_field_id cannot change: several .*Number "3"$/)
    const { data } = await started.api.get<MailingList>(`/mailing_lists/${list.id}`)
    expect(data).toMatchObject({ primary_key_custom_field_id: null, d_from_name: null })
    expect((await setKey(list.id, list.name)).success).toBe(true)
  })

  it('is refused while a subscriber has no value for it', async () => {
    const list = await filledList(3)
    const lacking = await makeSubscriber(started.api, list.id, 'lacking@example.com')
    const answer = await setKey(list.id, list.number)
    expect(answer.error_message).toContain(`subscriber ${lacking.id} has no Number`)
  })

  it('goes back to the email only where no email is shared', async () => {
    const list = await filledList(3)
    await setKey(list.id, list.number)
    await makeSubscriber(started.api, list.id, 'p1@example.com', { custom_fields: { Number: 99 } })
    expect((await setKey(list.id, null)).error_message).toContain('email "p1@example.com"')
  })

  it('must be a field of the list', async () => {
    const [list, other] = [await filledList(1), await filledList(1)]
    const answer = await setKey(list.id, other.number)
    expect(answer.error_message).toMatch(/is no custom field of this list/)
  })

  it('changes nothing when another part of the request is wrong', async () => {
    const list = await filledList(2)
    const answer = await setKey(list.id, list.number, { d_from_email: 'nobody' })
    expect(answer.error_message).toMatch(/^d_from_email /)
    const { data } = await started.api.get<MailingList>(`/mailing_lists/${list.id}`)
    expect(data.primary_key_custom_field_id).toBeNull()
  })

  it('blocks writes to the list while it is changing, and answers reads', async () => {
    const list = await filledList(6000)
    const change = setKey(list.id, list.number)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const write = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'meanwhile@example.com', status: 'active', custom_fields: { Number: 60_000 } }
    })
    const read = await started.api.get(`/mailing_lists/${list.id}/subscribers/p5%40example.com`)
    expect(read.data).toHaveLength(1)
    expect((await change).success).toBe(true)
    // The write came before the change, or was told to wait: it is never lost in between.
    if (!write.success) expect(write.error_message).toMatch(/the list is changing its primary key/)
    const page = await started.api.get(`/mailing_lists/${list.id}/subscribers?per_page=1`)
    expect(page.num_records).toBe(write.success ? 6001 : 6000)
  })
})

describe('a change of the primary key that is under way', () => {
  it('keeps its field from being deleted', async () => {
    const list = await filledList(6000)
    const change = setKey(list.id, list.number)
    await expect
      .poll(
        async () =>
          (
            await started.api.put(`/mailing_lists/${list.id}/subscribers/p5%40example.com`, {
              subscriber: { status: 'active' }
            })
          ).success,
        { interval: 1 }
      )
      .toBe(false)
    expect(await started.api.delete(`/custom_fields/${list.number}`)).toMatchObject({
      success: false,
      data: { dependencies: [{ type: 'mailing_list', id: list.id }] }
    })
    expect((await change).success).toBe(true)
  })

  it(
    'does not delay the end of the application, and is not reported as done',
    { timeout: 60_000 },
    async () => {
      const directory = await temporaryDirectory()
      const application = await serve(directory)
      const { api } = application
      const list = await makeList(api)
      const number = await makeField(api, list.id, 'Number', 'number')
      const rows = Array.from({ length: 60_000 }, (_, row) => `p${row}@example.com,${row}`)
      await importText(api, list.id, rows.join('\n'), {
        column_mapping: ['email', 'Number'],
        file_format: { csv_has_headers: false }
      })
      const change = api
        .put(`/mailing_lists/${list.id}`, { mailing_list: { primary_key_custom_field_id: number.id } })
        .catch(() => null)
      await new Promise((resolve) => setTimeout(resolve, 100))
      const asked = performance.now()
      expect(await application.end('SIGTERM')).toBe(0)
      const took = performance.now() - asked
      expect(took).toBeLessThan(5000)
      expect((await change)?.success).not.toBe(true)
    }
  )
})

describe('a change of the primary key that is interrupted', () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

  it(
    `is abandoned or completed after SIGKILL, and leaves a consistent list (SEED=${seed})`,
    { timeout: 60_000 },
    async () => {
      const random = seededRandom(seed)
      const directory = await temporaryDirectory()
      let application = await serve(directory)
      const list = await makeList(application.api)
      const number = await makeField(application.api, list.id, 'Number', 'number')
      const rows = Array.from({ length: 20_000 }, (_, row) => `p${row}@example.com,${row}`)
      await importText(application.api, list.id, rows.join('\n'), {
        column_mapping: ['email', 'Number'],
        file_format: { csv_has_headers: false }
      })
      let key: number | null = null
      for (let moment = 0; moment < 5; moment++) {
        const wanted = key === null ? number.id : null
        const change = application.api
          .put(`/mailing_lists/${list.id}`, { mailing_list: { primary_key_custom_field_id: wanted } })
          .catch(() => null)
        await new Promise((resolve) => setTimeout(resolve, random() * 300))
        await application.end('SIGKILL')
        await change
        application = await serve(directory)
        const { api } = application
        const update = { subscriber: { custom_fields: { Number: 7 } } }
        await expect
          .poll(
            async () =>
              (await api.put(`/mailing_lists/${list.id}/subscribers/p7%40example.com`, update)).success,
            {
              timeout: 10_000
            }
          )
          .toBe(true)
        key = (await api.get<MailingList>(`/mailing_lists/${list.id}`)).data.primary_key_custom_field_id
        const twin = { email: 'P7@example.com', status: 'active', custom_fields: { Number: 50_000 } }
        const shared = await api.post(`/mailing_lists/${list.id}/subscribers`, { subscriber: twin })
        // An email may repeat exactly when the key is the field.
        expect(shared.success).toBe(key !== null)
        if (shared.success) {
          await api.delete(`/mailing_lists/${list.id}/subscribers/${(shared.data as { id: number }).id}`)
        }
        expect((await api.get(`/mailing_lists/${list.id}/subscribers?per_page=1`)).num_records).toBe(20_000)
      }
    }
  )
})

import { beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  expectSuccess,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber,
  makeWebForm
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { SessionClient } from '../support/session-client.ts'

const started = sharedApplication()
const v2 = '/ga/api/v2'
let api: Client
let window: SessionClient
beforeAll(async () => {
  api = started.api
  window = new SessionClient(started.app)
  await window.openLink(started.app.interfaceUrl())
})

interface Editable {
  path: string
  first: object
  second: object
}

const kinds: Record<string, () => Promise<Editable>> = {
  subscriber: async () => {
    const list = await makeList(api)
    const { id } = await makeSubscriber(api, list.id, 'ann@example.com')
    return {
      path: `${v2}/mailing_lists/${list.id}/subscribers/${id}`,
      first: { subscriber: { status: 'unsubscribed' } },
      second: { subscriber: { status: 'bounced' } }
    }
  },
  mailing_list: async () => {
    const { id } = await makeList(api)
    return {
      path: `${v2}/mailing_lists/${id}`,
      first: { mailing_list: { d_from_name: 'Ann' } },
      second: { mailing_list: { d_from_name: 'Ben' } }
    }
  },
  custom_field: async () => {
    const list = await makeList(api)
    const { id } = await makeField(api, list.id, 'City', 'text')
    return {
      path: `${v2}/mailing_lists/${list.id}/custom_fields/${id}`,
      first: { custom_field: { name: 'Town' } },
      second: { custom_field: { name: 'Place' } }
    }
  },
  segment: async () => {
    const list = await makeList(api)
    const { id } = await makeSegment(api, list.id)
    return {
      path: `${v2}/segments/${id}`,
      first: { segmentation_criteria: { name: 'North' } },
      second: { segmentation_criteria: { name: 'South' } }
    }
  },
  campaign: async () => {
    const list = await makeList(api)
    const { id } = await makeCampaign(api, list.id)
    return {
      path: `${v2}/campaigns/${id}`,
      first: { campaign: { name: 'Spring' } },
      second: { campaign: { name: 'Summer' } }
    }
  },
  template: async () => {
    const list = await makeList(api)
    const { id } = expectSuccess(
      await api.post<{ id: number }>(`/mailing_lists/${list.id}/templates`, { campaign: { name: 'Plain' } })
    )
    return {
      path: `${v2}/templates/${id}`,
      first: { campaign: { name: 'Bare' } },
      second: { campaign: { name: 'Rich' } }
    }
  },
  autoresponder: async () => {
    const list = await makeList(api)
    const { id } = await makeAutoresponder(api, list.id, 'Greeting')
    return {
      path: `${v2}/mailing_lists/${list.id}/autoresponders/${id}`,
      first: { autoresponder: { name: 'Hello' } },
      second: { autoresponder: { name: 'Welcome' } }
    }
  },
  web_form: async () => {
    const list = await makeList(api)
    const { id } = await makeWebForm(api, list.id)
    return {
      path: `${v2}/mailing_lists/${list.id}/web_forms/${id}`,
      first: { web_form: { name: 'Footer' } },
      second: { web_form: { name: 'Header' } }
    }
  },
  seed_list: async () => {
    const list = { seed_list: { name: 'Team', addresses_array: ['a@example.com'] } }
    const { id } = expectSuccess(await api.post<{ id: number }>('/seed_lists', list))
    return {
      path: `${v2}/seed_lists/${id}`,
      first: { seed_list: { name: 'Crew' } },
      second: { seed_list: { name: 'Group' } }
    }
  },
  suppression_list: async () => {
    const list = { suppression_list: { name: 'Complaints' } }
    const { id } = expectSuccess(await api.post<{ id: number }>('/suppression_lists', list))
    return {
      path: `${v2}/suppression_lists/${id}`,
      first: { suppression_list: { name: 'Never' } },
      second: { suppression_list: { name: 'Legal' } }
    }
  },
  user: async () => {
    const { id } = await makeUser(started)
    return {
      path: `${v2}/users/${id}`,
      first: { user: { full_name: 'Ann' } },
      second: { user: { full_name: 'Ben' } }
    }
  },
  organization: async () => ({
    path: `${v2}/organizations/1`,
    first: { organization: { anniversary_day: 3 } },
    second: { organization: { anniversary_day: 4 } }
  }),
  'setting of the organization': async () => ({
    path: '/app/v1/organization',
    first: { enforces_confirmed_opt_in: true },
    second: { enforces_confirmed_opt_in: false }
  }),
  'setting of everything': async () => ({
    path: '/app/v1/settings',
    first: { service_history_days: 100 },
    second: { service_history_days: 200 }
  })
}

async function readAt(path: string): Promise<{ data: unknown; version: string }> {
  const answer = await window.call('GET', path)
  return { data: expectSuccess(answer), version: answer.headers.get('x-last-change') ?? '' }
}

const since = (version: string): Record<string, string> => ({ 'X-Unchanged-Since': version })

describe('A change that carries the version it was based on', () => {
  it.each(Object.keys(kinds))('is refused when the %s was changed since', async (kind) => {
    const { path, first, second } = await (kinds[kind] as () => Promise<Editable>)()
    const { version } = await readAt(path)
    expectSuccess(await window.call('PUT', path, first))
    const changed = await readAt(path)

    const refused = await window.call('PUT', path, second, since(version))

    expect(refused).toMatchObject({ status: 409, success: false, error_code: 'conflict' })
    expect((await readAt(path)).data).toEqual(changed.data)
    expectSuccess(await window.call('PUT', path, second, since(changed.version)))
  })

  it('is made when other records were changed since', async () => {
    const list = await makeList(api)
    const ann = await makeSubscriber(api, list.id, 'ann@example.com')
    const ben = await makeSubscriber(api, list.id, 'ben@example.com')
    const path = `${v2}/mailing_lists/${list.id}/subscribers`
    const { version } = await readAt(`${path}/${ann.id}`)
    expectSuccess(await window.call('PUT', `${path}/${ben.id}`, { subscriber: { status: 'bounced' } }))

    const answer = await window.call(
      'PUT',
      `${path}/${ann.id}`,
      { subscriber: { status: 'unsubscribed' } },
      since(version)
    )

    expect(expectSuccess(answer)).toMatchObject({ status: 'unsubscribed' })
  })

  it('is made whole when it takes several commands', async () => {
    const list = await makeList(api)
    const field = await makeField(api, list.id, 'Number', 'number')
    const path = `${v2}/mailing_lists/${list.id}`
    const { version } = await readAt(path)
    const changes = { name: 'Members', primary_key_custom_field_id: field.id }

    const answer = await window.call('PUT', path, { mailing_list: changes }, since(version))

    expect(expectSuccess(answer)).toMatchObject(changes)
  })

  it('is refused when too much happened since to look through', async () => {
    const list = await makeList(api)

    const answer = await window.call(
      'PUT',
      `${v2}/mailing_lists/${list.id}`,
      { mailing_list: {} },
      since('-30000')
    )

    expect(answer).toMatchObject({ status: 409, error_code: 'conflict' })
  })

  it('is refused when an import changed the subscriber since, and made when it changed others around', async () => {
    const list = await makeList(api)
    const [ann, ben] = [
      await makeSubscriber(api, list.id, 'ann@example.com'),
      await makeSubscriber(api, list.id, 'ben@example.com')
    ]
    await makeSubscriber(api, list.id, 'cal@example.com')
    const path = `${v2}/mailing_lists/${list.id}/subscribers`
    const { version } = await readAt(`${path}/${ann.id}`)
    await importText(
      api,
      list.id,
      'email,status\nann@example.com,unsubscribed\ncal@example.com,unsubscribed\n',
      {
        column_mapping: ['email', 'status'],
        overwrite: true,
        overwrite_what: { status: true },
        overwrite_when_status: { active: true }
      }
    )
    const change = { subscriber: { status: 'bounced' } }

    const answers = await Promise.all(
      [ann, ben].map(({ id }) => window.call('PUT', `${path}/${id}`, change, since(version)))
    )

    expect(answers.map(({ status }) => status)).toEqual([409, 200])
  })
})

it('programs are answered without the version of the data', async () => {
  const list = await makeList(api)

  const answer = await api.get(`/mailing_lists/${list.id}`)

  expect(answer.headers.has('x-last-change')).toBe(false)
})

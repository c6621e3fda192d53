import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeOrganization, makeUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  expectSuccess,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber,
  makeWebForm
} from '../support/builders.ts'
import { menuIsGone, sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

interface Edited {
  page: string
  open?: (page: Page) => Promise<void>
  mine: (page: Page) => Promise<void>
  path: string
  theirs: object
  both: object
}

describe.skipIf(skipsWithoutBrowser)('edits in two places', { timeout: 120_000 }, () => {
  const started = sharedApplication()
  const browser = sharedBrowser()
  const open = (path: string) => Window.open(browser, started.app, path)
  const { workbench, put, get } = {
    workbench: (method: string, path: string, body?: unknown) => started.api.workbench(method, path, body),
    put: (path: string, body: unknown) =>
      path.startsWith('/app/') ? workbench('PUT', path.slice(7), body) : started.api.put(path, body),
    get: (path: string) =>
      path.startsWith('/app/') ? workbench('GET', path.slice(7)) : started.api.get(path)
  }
  const label = (name: string, text: string) => async (page: Page) =>
    page.getByLabel(name, { exact: true }).fill(text)
  const row = (name: string) => async (page: Page) =>
    page.getByRole('main').getByRole('button', { name }).first().click()

  const editors: Record<string, () => Promise<Edited>> = {
    subscriber: async () => {
      const list = await makeList(started.api)
      await makeField(started.api, list.id, 'City', 'text')
      await makeField(started.api, list.id, 'Name', 'text')
      const { id } = await makeSubscriber(started.api, list.id, 'ann@example.com')
      return {
        page: `/lists/${list.id}`,
        open: (page) => page.getByText('ann@example.com').click(),
        mine: label('Name', 'Ann'),
        path: `/mailing_lists/${list.id}/subscribers/${id}`,
        theirs: { subscriber: { custom_fields: { City: 'Oslo' } } },
        both: [{ custom_fields: { City: { value: 'Oslo' }, Name: { value: 'Ann' } } }]
      }
    },
    'custom field': async () => {
      const list = await makeList(started.api)
      const { id } = await makeField(started.api, list.id, 'City', 'text')
      return {
        page: `/lists/${list.id}/fields`,
        open: row('City'),
        mine: label('Name', 'Town'),
        path: `/mailing_lists/${list.id}/custom_fields/${id}`,
        theirs: { custom_field: { instructions: 'Where you live' } },
        both: { name: 'Town', instructions: 'Where you live' }
      }
    },
    segment: async () => {
      const list = await makeList(started.api)
      const { id } = await makeSegment(started.api, list.id)
      const other = await makeList(started.api)
      const clause = [{ type: 'in_mailing_list', operator: 'is not in', mailing_list_id: other.id }]
      const { data } = (await get(`/segments/${id}`)) as { data: { name: string; clause: object[] } }
      return {
        page: `/lists/${list.id}/segments`,
        open: row(data.name),
        mine: label('Name', 'Ours'),
        path: `/segments/${id}`,
        theirs: { segmentation_criteria: { name: data.name, clause } },
        both: { name: 'Ours', clause: [expect.objectContaining({ mailing_list_id: other.id })] }
      }
    },
    'subscription form': async () => {
      const list = await makeList(started.api)
      const { id, name } = await makeWebForm(started.api, list.id)
      return {
        page: `/lists/${list.id}/forms`,
        open: row(name),
        mine: label('Name', 'Footer'),
        path: `/mailing_lists/${list.id}/web_forms/${id}`,
        theirs: { web_form: { requires_confirmation: false } },
        both: { name: 'Footer', requires_confirmation: false }
      }
    },
    'seed list': async () => {
      const seedList = { seed_list: { name: 'Team', addresses_array: ['a@example.com'] } }
      const { id } = expectSuccess(await started.api.post<{ id: number }>('/seed_lists', seedList))
      return {
        page: '/delivery',
        open: row('Team'),
        mine: label('Name', 'Crew'),
        path: `/seed_lists/${id}`,
        theirs: { seed_list: { addresses_array: ['b@example.com'] } },
        both: { name: 'Crew', addresses_array: ['b@example.com'] }
      }
    },
    'suppression list': async () => {
      const list = await makeList(started.api)
      const made = { suppression_list: { name: 'Never' } }
      const { id } = expectSuccess(await started.api.post<{ id: number }>('/suppression_lists', made))
      return {
        page: `/suppression/${id}`,
        open: (page) => page.getByRole('button', { name: 'Edit' }).click(),
        mine: label('Name', 'Complaints'),
        path: `/suppression_lists/${id}`,
        theirs: { suppression_list: { mailing_list_id: list.id } },
        both: { name: 'Complaints', mailing_list_id: list.id }
      }
    },
    user: async () => {
      const { id, full_name: name } = await makeUser(started, {
        full_name: 'Mara Lind',
        permissions: { campaign: ['send'] }
      })
      return {
        page: '/users',
        open: row(name),
        mine: label('Full name', 'Mara Lund'),
        path: `/users/${id}`,
        theirs: { user: { permissions: { campaign: ['send'], subscriber: ['read'] }, active: false } },
        both: {
          full_name: 'Mara Lund',
          active: false,
          permissions: { campaign: ['send'], subscriber: ['read'] }
        }
      }
    },
    organization: async () => {
      const id = await makeOrganization(started, { name: 'North' })
      const name = 'North'
      return {
        page: '/organizations',
        open: row(name),
        mine: label('Name', `${name} & Co.`),
        path: `/organizations/${id}`,
        theirs: { organization: { anniversary_day: 7 } },
        both: { name: `${name} & Co.`, anniversary_day: 7 }
      }
    },
    'list’s settings': async () => {
      const list = await makeList(started.api)
      return {
        page: `/lists/${list.id}/settings`,
        mine: label('From name', 'Ann'),
        path: `/mailing_lists/${list.id}`,
        theirs: { mailing_list: { d_from_email: 'ann@example.com', d_speed: 500 } },
        both: { d_from_name: 'Ann', d_from_email: 'ann@example.com', d_speed: 500 }
      }
    },
    campaign: async () => {
      const list = await makeList(started.api)
      const { id, campaign_contents } = await makeCampaign(started.api, list.id, { name: 'Spring' })
      const contents = campaign_contents.map((content) => ({ ...content, subject: 'News' }))
      return {
        page: `/lists/${list.id}/campaigns/${id}`,
        mine: label('Name', 'Summer'),
        path: `/campaigns/${id}`,
        theirs: { campaign: { contents, dispatch_attributes: { speed: 300 } } },
        both: {
          name: 'Summer',
          campaign_contents: [expect.objectContaining({ subject: 'News' })],
          dispatch: expect.objectContaining({ speed: 300 }) as object
        }
      }
    },
    template: async () => {
      const list = await makeList(started.api)
      const contents = [{ name: 'A', subject: 'Hello', format: 'both', html: '<p>Hi</p>', text: 'Hi' }]
      const made = { campaign: { name: 'Plain', contents } }
      const { id, campaign_contents } = expectSuccess(
        await started.api.post<{ id: number; campaign_contents: object[] }>(
          `/mailing_lists/${list.id}/templates`,
          made
        )
      )
      return {
        page: `/lists/${list.id}/templates/${id}`,
        mine: label('Name', 'Bare'),
        path: `/templates/${id}`,
        theirs: {
          campaign: { contents: campaign_contents.map((each) => ({ ...each, subject: 'Good day' })) }
        },
        both: { name: 'Bare', campaign_contents: [expect.objectContaining({ subject: 'Good day' })] }
      }
    },
    autoresponder: async () => {
      const list = await makeList(started.api)
      const { id } = await makeAutoresponder(started.api, list.id, 'Hello', {
        content_subject: 'Hello',
        content_text: 'Hello',
        content_format: 'text'
      })
      return {
        page: `/lists/${list.id}/autoresponders/${id}`,
        mine: label('Name', 'Welcome'),
        path: `/mailing_lists/${list.id}/autoresponders/${id}`,
        theirs: { autoresponder: { content_subject: 'Good day' } },
        both: { name: 'Welcome', content_subject: 'Good day' }
      }
    },
    'settings of everything': async () => ({
      page: '/settings',
      mine: async (page) => page.getByLabel('Lockout after failed passwords', { exact: false }).fill('90'),
      path: '/app/v1/settings',
      theirs: { service_history_days: 123 },
      both: { service_user_login_lockout_duration: 90, service_history_days: 123 }
    })
  }

  it.each(Object.keys(editors))('are both stored if they change different values: %s', async (kind) => {
    const {
      page: place,
      open: openEditor,
      mine,
      path,
      theirs,
      both
    } = await (editors[kind] as () => Promise<Edited>)()
    const window = await open(place)
    await openEditor?.(window.page)
    await mine(window.page)
    expectSuccess(await put(path, theirs))

    await window.page.getByRole('button', { name: 'Save', exact: true }).first().click()

    await expect.poll(async () => (await get(path)).data, { timeout: 10_000 }).toMatchObject(both)
    expect(await window.page.getByRole('dialog', { name: 'Someone else changed this too' }).count()).toBe(0)
    await window.finish()
  })

  const question = (page: Page) => page.getByRole('dialog', { name: 'Someone else changed this too' })
  const answer = (page: Page, field: string, side: string) =>
    question(page)
      .getByRole('group', { name: field })
      .or(question(page).getByRole('radiogroup', { name: field }))
      .getByRole('radio', { name: side })
      .click()

  it('ask about what both changed, and save the choice', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const { id } = await makeSubscriber(started.api, list.id, 'ann@example.com', {
      custom_fields: { City: 'Rome' }
    })
    const window = await open(`/lists/${list.id}`)
    const { page } = window
    await page.getByText('ann@example.com').click()
    await page.getByRole('textbox', { name: 'City' }).fill('Bern')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Bounced' }).click()
    await menuIsGone(page)
    const path = `/mailing_lists/${list.id}/subscribers/${id}`
    const theirs = { custom_fields: { City: 'Oslo' }, status: 'unsubscribed' }
    expectSuccess(await started.api.put(path, { subscriber: theirs }))
    const stored = async () => expectSuccess(await started.api.get<object[]>(path))

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await question(page).waitFor()
    await window.screenshot('conflict')
    expect(await question(page).getByText('Bern').count()).toBe(1)
    expect(await question(page).getByText('Oslo').count()).toBe(1)
    expect(await question(page).getByRole('button', { name: 'Save this choice' }).isDisabled()).toBe(true)

    await question(page).getByRole('button', { name: 'Back to editing' }).click()
    await question(page).waitFor({ state: 'hidden' })
    expect(await page.getByRole('textbox', { name: 'City' }).inputValue()).toBe('Bern')
    expect(await stored()).toMatchObject([{ custom_fields: { City: { value: 'Oslo' } } }])

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await answer(page, 'City', 'Your value')
    await answer(page, 'Status', 'Stored value')
    await question(page).getByRole('button', { name: 'Save this choice' }).click()
    await question(page).waitFor({ state: 'hidden' })
    await expect
      .poll(stored)
      .toMatchObject([{ custom_fields: { City: { value: 'Bern' } }, status: 'unsubscribed' }])
    await window.finish()
  })

  it('of settings that were saved in part continue from the stored state', async () => {
    const settings = async (path: string) => expectSuccess(await workbench('GET', path))
    expectSuccess(await workbench('PUT', '/organization', { enforces_confirmed_opt_in: false }))
    const window = await open('/settings')
    const { page } = window
    const optIn = page.getByRole('switch', { name: 'confirmed opt-in', exact: false })
    await optIn.click()
    await page.getByLabel('Lockout after failed passwords', { exact: false }).fill('310')
    expectSuccess(await workbench('PUT', '/settings', { service_user_login_lockout_duration: 410 }))
    const save = page.getByRole('button', { name: 'Save', exact: true })

    await save.click()
    await question(page).getByRole('button', { name: 'Back to editing' }).click()
    await question(page).waitFor({ state: 'hidden' })
    await optIn.click()
    await save.click()
    await question(page).getByRole('radio', { name: 'Your value' }).click()
    await question(page).getByRole('button', { name: 'Save this choice' }).click()

    await expect.poll(() => settings('/settings')).toMatchObject({ service_user_login_lockout_duration: 310 })
    expect(await settings('/organization')).toMatchObject({ enforces_confirmed_opt_in: false })
    await page.getByLabel('Days to keep the audit log', { exact: false }).fill('77')
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await window.finish()
  })

  it('leave an editor open if the user kept typing while it was saved', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await makeField(started.api, list.id, 'Street', 'text')
    const { id } = await makeSubscriber(started.api, list.id, 'ann@example.com')
    const window = await open(`/lists/${list.id}`)
    const { page } = window
    await page.route(`**/subscribers/${id}`, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    await page.getByText('ann@example.com').click()
    await page.getByRole('textbox', { name: 'City' }).fill('Bern')

    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('textbox', { name: 'Street' }).fill('Rose Lane')
    const stored = async () =>
      expectSuccess(await started.api.get<object[]>(`/mailing_lists/${list.id}/subscribers/${id}`))
    await expect.poll(stored).toMatchObject([{ custom_fields: { City: { value: 'Bern' } } }])
    expect(await page.getByRole('textbox', { name: 'Street' }).inputValue()).toBe('Rose Lane')
    await page.unroute(`**/subscribers/${id}`)
    await expect
      .poll(async () => {
        await page
          .getByRole('button', { name: 'Save', exact: true })
          .click({ timeout: 500 })
          .catch(() => undefined)
        return stored()
      })
      .toMatchObject([{ custom_fields: { Street: { value: 'Rose Lane' } } }])
    await window.finish()
  })

  it('are shown before a campaign that was changed elsewhere is written to the outbox', async () => {
    const list = await makeList(started.api, { d_from_name: 'Ann', d_from_email: 'ann@example.com' })
    await makeSubscriber(started.api, list.id, 'ben@example.com')
    const { id, campaign_contents } = await makeCampaign(started.api, list.id, { name: 'Spring' })
    const window = await open(`/lists/${list.id}/campaigns/${id}`)
    const { page } = window
    const subject = page.getByLabel('Subject')
    await subject.waitFor()
    await page.getByRole('button', { name: 'Write to the outbox' }).click()
    await page.getByRole('dialog').waitFor()
    const contents = campaign_contents.map((content) => ({ ...content, subject: 'Changed by others' }))
    expectSuccess(await started.api.put(`/campaigns/${id}`, { campaign: { contents } }))

    await page.getByRole('dialog').getByRole('button', { name: 'Write to the outbox' }).click()

    await page.getByText('This campaign was changed elsewhere.', { exact: false }).first().waitFor()
    await window.screenshot('conflict-campaign')
    expect(await subject.inputValue()).toBe('Changed by others')
    const campaign = async () =>
      expectSuccess(await started.api.get<{ dispatch: { state: string } }>(`/campaigns/${id}`)).dispatch.state
    expect(await campaign()).toBe('idle')
    await page.getByRole('dialog').getByRole('button', { name: 'Write to the outbox' }).click()
    await expect.poll(campaign).toBe('finished')
    await window.finish()
  })
})

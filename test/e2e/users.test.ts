import { describe, expect, it } from 'vitest'
import type { Organization } from '../../src-main/api/organizations/schema.ts'
import type { User } from '../../src-main/api/users/schema.ts'
import { permissionActions } from '../../src-main/http/caller.ts'
import { makeOrganization, makeUser, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import {
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber,
  makeWebForm
} from '../support/builders.ts'
import { sharedBrowser, menuIsGone, skipsWithoutBrowser, Window } from './browser.ts'

const password = 'correct horse'

describe.skipIf(skipsWithoutBrowser)(
  'organizations and users, in a real Chromium',
  { timeout: 120_000 },
  () => {
    const started = sharedApplication()
    const browser = sharedBrowser()

    it('a window stays signed in when it is reloaded, and when its link is opened again', async () => {
      const window = await Window.open(browser, started.app, '/lists')
      const { page } = window
      const lists = page.getByRole('heading', { name: 'Lists', exact: true })
      const link = started.app.interfaceUrl('/lists')
      for (const address of [link, link]) {
        await page.goto(address)
        await lists.waitFor()
        expect(page.url()).toBe(`${started.app.baseUrl}/lists`)
      }
      await page.goto(started.app.interfaceUrl())
      await page.getByRole('heading', { name: 'Welcome to Listwright' }).waitFor()
      expect(page.url()).toBe(`${started.app.baseUrl}/`)
      await page.reload()
      await page.getByRole('heading', { name: 'Welcome to Listwright' }).waitFor()
      await window.finish(/401/)
    })

    it('an organization is made, switched to and changed; nothing of the other one is seen there', async () => {
      const { api, app } = started
      await makeList(api, { name: 'System newsletter' })
      const window = await Window.open(browser, app)
      const { page } = window
      await page.getByRole('link', { name: 'System newsletter' }).first().waitFor()
      await page.getByRole('button', { name: 'Organization: System Organization' }).click()
      await page.getByRole('menuitem', { name: 'Organizations' }).click()
      await page.getByRole('button', { name: 'Create organization' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Name').fill('Globex')
      await form.getByRole('button', { name: 'Time zone' }).click()
      await page.getByPlaceholder('Search').fill('Zurich')
      await page.getByRole('option', { name: 'Europe/Zurich' }).click()
      await menuIsGone(page)
      await form
        .getByLabel('HTML footer')
        .fill('<p>Globex, Zurich. <a href="%%unsubscribe_link%%">Leave</a></p>')
      await window.screenshot('organization-form')
      await form.getByRole('button', { name: 'Create organization' }).click()
      await page.getByText(/ID \d+ · Europe\/Zurich/).waitFor()
      await window.screenshot('organizations')
      const { data } = await api.get<Organization[]>('/organizations')
      expect(data.at(-1)).toMatchObject({ name: 'Globex', time_zone_name: 'Europe/Zurich' })

      await page.getByRole('button', { name: 'Switch to Globex' }).click()
      await page.getByRole('button', { name: 'Organization: Globex' }).waitFor()
      await page.getByText('Welcome to Listwright').waitFor()
      expect(await page.getByText('System newsletter').count()).toBe(0)
      const there = await systemAdminIn(app, data.at(-1)?.id ?? 0)
      const news = await makeList(there, { name: 'Globex news' })
      await page.getByRole('link', { name: 'Globex news' }).first().waitFor()
      // What is being written belongs to the organization: it is asked for before that changes.
      await page.goto(`${app.baseUrl}/lists/${news.id}/templates/new`)
      await page.getByRole('textbox', { name: 'Name' }).first().fill('Half a template')
      await page.getByRole('button', { name: 'Organization: Globex' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'System Organization' }).click()
      await page.getByRole('button', { name: 'Keep editing' }).click()
      await page.getByRole('button', { name: 'Organization: Globex' }).waitFor()
      expect(await page.getByRole('textbox', { name: 'Name' }).first().inputValue()).toBe('Half a template')
      await page.getByRole('link', { name: 'Lists', exact: true }).click()
      await page.getByRole('button', { name: 'Discard changes' }).click()
      await page.getByRole('button', { name: 'Organization: Globex' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'System Organization' }).waitFor()
      await window.screenshot('organization-switcher')
      await page.getByRole('menuitemcheckbox', { name: 'System Organization' }).click()
      await page.getByRole('link', { name: 'System newsletter' }).first().waitFor()
      expect(await page.getByText('Globex news').count()).toBe(0)

      // What another window of the session switches to is what this one shows from then on.
      const { page: other } = await Window.open(browser, app)
      await other.getByRole('button', { name: 'Organization: System Organization' }).click()
      await other.getByRole('menuitemcheckbox', { name: 'Globex' }).click()
      await page.getByRole('button', { name: 'Organization: Globex' }).waitFor()
      await page.getByRole('link', { name: 'Globex news' }).first().waitFor()
      await other.close()
      await window.finish()
    })

    it('a user is made with a matrix of permissions, changed, unlocked and deleted', async () => {
      const { api, app } = started
      const window = await Window.open(browser, app)
      const { page } = window
      await page.getByRole('link', { name: 'Users' }).click()
      await page.getByRole('button', { name: 'Create user' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Full name').fill('Ada Lovelace')
      await form.getByLabel('Email').fill('nobody')
      await form.getByRole('checkbox', { name: 'Mailing lists: Create' }).click()
      await form.getByRole('checkbox', { name: 'Subscribers: Read' }).click()
      await form.getByRole('checkbox', { name: 'Subscribers: Import' }).click()
      await form.getByText(`3 of ${Object.values(permissionActions).flat().length}`).waitFor()
      await form.getByLabel('Password', { exact: true }).fill(password)
      await form.getByLabel('Confirm password').fill(`${password}!`)
      await form.getByLabel('Email').fill('ada@example.org')
      await form.getByRole('button', { name: 'Create user' }).click()
      await form.getByText('The passwords do not match').waitFor()
      await form.getByLabel('Confirm password').fill(password)
      await form.getByLabel('Full name').scrollIntoViewIfNeeded()
      await window.screenshot('user-form')
      await form.getByRole('button', { name: 'Create user' }).click()
      await page.getByRole('cell', { name: 'ada@example.org' }).waitFor()
      const find = async (): Promise<User | undefined> =>
        (await api.get<User[]>('/users?email=ada@example.org')).data[0]
      const { id = 0, permissions } = (await find()) ?? {}
      expect(permissions).toMatchObject({
        mailing_list: ['create'],
        subscriber: ['read', 'import'],
        campaign: []
      })

      const attempts = Array.from({ length: 5 }, () =>
        fetch(`${app.baseUrl}/app/v1/session`, {
          method: 'POST',
          body: JSON.stringify({ email: 'ada@example.org', password: 'wrong' })
        })
      )
      await Promise.all(attempts)
      await page.getByText(/Locked out until/).waitFor()
      await window.screenshot('users')
      await page.getByRole('button', { name: 'Unlock Ada Lovelace' }).click()
      await page.getByText(/Locked out until/).waitFor({ state: 'hidden' })

      await page.getByRole('button', { name: 'Ada Lovelace' }).click()
      await form.getByRole('radio', { name: 'Administrator', exact: true }).click()
      await form.getByText('Mailing lists').waitFor({ state: 'hidden' })
      await form.getByLabel('Send campaign previews to').fill('qa@example.org, ada@example.org')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('cell', { name: 'Administrator', exact: true }).waitFor()
      expect(await find()).toMatchObject({
        id,
        role: 'organization_admin',
        default_preview_recipients: ['qa@example.org', 'ada@example.org']
      })

      await page.getByLabel('Find a user').fill('lovelace')
      await page.getByRole('button', { name: 'Ada Lovelace' }).click()
      await form.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).last().click()
      await page.getByText(/No user with/).waitFor()
      expect(await find()).toBeUndefined()
      await window.finish()
    })

    it('actions that a user may not do are not offered, and no page shows an error', async () => {
      const { api, app } = started
      const list = await makeList(api, { name: 'Readers' })
      await makeSubscriber(api, list.id, 'ann@example.com')
      await makeField(api, list.id, 'City', 'text')
      await makeSegment(api, list.id, { name: 'Some' })
      await makeWebForm(api, list.id)
      const campaign = await makeCampaign(api, list.id, { name: 'News' })
      const ends: Record<string, string[]> = {
        '/': [],
        '/lists': ['Create list'],
        [`/lists/${list.id}`]: ['Import a file', 'Add subscriber'],
        [`/lists/${list.id}/fields`]: ['Create field'],
        [`/lists/${list.id}/campaigns`]: ['Create campaign'],
        [`/lists/${list.id}/campaigns/${campaign.id}`]: ['Save', 'Delete', 'Archive', 'Write to the outbox…'],
        [`/lists/${list.id}/templates`]: ['Create template'],
        [`/lists/${list.id}/segments`]: ['Create segment'],
        [`/lists/${list.id}/autoresponders`]: ['Create autoresponder'],
        [`/lists/${list.id}/forms`]: ['Create form'],
        [`/lists/${list.id}/settings`]: ['Save', 'Delete list'],
        '/campaigns': [],
        '/jobs': [],
        '/suppression': ['Create suppression list'],
        '/delivery': ['Create seed list', 'Add'],
        '/settings': ['Save'],
        '/api-access': []
      }
      for (const permissions of [{ subscriber: ['read'] }, {}] as Record<string, string[]>[]) {
        const { email } = await makeUser(started, { permissions, password1: password, password2: password })
        const context = await browser.newContext({ locale: 'en-US' })
        const page = await context.newPage()
        await page.goto(app.baseUrl)
        await page.getByLabel('Email').fill(email)
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('link', { name: 'Readers' }).first().waitFor()
        for (const [path, missing] of Object.entries(ends)) {
          await page.goto(app.baseUrl + path)
          const main = page.getByRole('main')
          const where = `${path} for ${JSON.stringify(permissions)}`
          await expect
            .poll(() => main.getByRole('heading', { level: 1 }).innerText(), {
              timeout: 10_000,
              message: where
            })
            .not.toBe('')
          await page.waitForTimeout(300)
          expect(await main.getByRole('alert').allInnerTexts(), where).toEqual([])
          for (const name of missing) {
            const offered = main
              .getByRole('button', { name, exact: true })
              .or(main.getByRole('link', { name, exact: true }))
            expect(await offered.count(), `${name} on ${where}`).toBe(0)
          }
        }
        await page.goto(`${app.baseUrl}/lists/${list.id}`)
        const isReader = 'subscriber' in permissions
        await page
          .getByText(isReader ? 'ann@example.com' : 'You may not see the subscribers of this list')
          .waitFor()
        await page.goto(`${app.baseUrl}/lists/${list.id}/fields`)
        await page.getByRole('button', { name: 'City' }).click()
        const editor = page.getByRole('dialog', { name: 'City' })
        expect(await editor.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
        expect(await editor.getByRole('button', { name: 'Save' }).count()).toBe(0)
        await context.close()
      }
    })

    it('a user who may add subscribers but not see them adds one', async () => {
      const { api, app } = started
      const list = await makeList(api, { name: 'Reception' })
      const permissions = { subscriber: ['create'] }
      const { email } = await makeUser(started, { permissions, password1: password, password2: password })
      const context = await browser.newContext({ locale: 'en-US' })
      const page = await context.newPage()
      await page.goto(`${app.baseUrl}/lists/${list.id}`)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Reception' }).first().click()
      await page.getByText('You may not see the subscribers of this list').waitFor()
      await page.getByRole('button', { name: 'Add subscriber' }).click()
      await page.getByRole('dialog').getByLabel('Email', { exact: true }).fill('guest@example.com')
      await page.getByRole('dialog').getByRole('button', { name: 'Add subscriber' }).click()
      await page.getByText('It has 1 subscriber.', { exact: false }).waitFor()
      expect((await api.get(`/mailing_lists/${list.id}/subscribers/guest@example.com`)).data).toHaveLength(1)
      await context.close()
    })

    it('the last system administrator cannot be deleted, with the reason', async () => {
      const window = await Window.open(browser, started.app)
      const { page } = window
      await page.getByRole('link', { name: 'Users' }).click()
      await page.getByRole('button', { name: 'System Administrator', exact: true }).click()
      const form = page.getByRole('dialog')
      await form.getByRole('switch', { name: 'Can sign in' }).click()
      await form.getByRole('button', { name: 'Save' }).click()
      await form.getByText(/is the last active system administrator/).waitFor()
      await window.finish()
    })

    it('a user signs in with a password, agrees to the terms, works, changes the password and signs out', async () => {
      const { api, app } = started
      const organizationId = await makeOrganization(started, { name: 'Initech' })
      const user = await makeUser(started, {
        organizationId,
        full_name: 'Peter Gibbons',
        role: 'organization_admin',
        password1: password,
        password2: password,
        default_preview_recipients: ['peter@initech.example']
      })
      await api.workbench('PUT', '/settings', {
        service_terms_and_conditions_version: 1,
        service_terms_and_conditions_text: 'Put a cover sheet on every report.'
      })
      const there = await systemAdminIn(app, organizationId)
      const list = await makeList(there, { name: 'Initech staff' })
      await makeCampaign(there, list.id, { name: 'Cover sheets' })

      const window = await Window.open(browser, app)
      const { page } = window
      await page.getByRole('button', { name: 'Account of System Administrator' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByText('Sign in to Listwright').waitFor()
      await window.screenshot('sign-in')
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password', { exact: true }).fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(/Email or password is wrong/).waitFor()
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Put a cover sheet on every report.').waitFor()
      await window.screenshot('terms')
      await page.getByRole('button', { name: 'I agree' }).click()
      await page.getByRole('link', { name: 'Initech staff' }).first().waitFor()
      expect(await page.getByRole('button', { name: /^Organization:/ }).count()).toBe(0)
      await page.getByText('Initech', { exact: true }).waitFor()

      await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
      await page.getByRole('link', { name: 'Cover sheets' }).click()
      await page
        .getByRole('button', { name: /preview/i })
        .first()
        .click()
      expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe('peter@initech.example')
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Account of Peter Gibbons' }).click()
      await page.getByRole('menuitem', { name: 'Change password' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Current password').fill(password)
      await dialog.getByLabel('New password').fill('battery staple')
      await dialog.getByLabel('Confirm password').fill('battery staple')
      await window.screenshot('password')
      await dialog.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('The password was changed.').first().waitFor()
      const session = await fetch(`${app.baseUrl}/app/v1/session`, {
        method: 'POST',
        body: JSON.stringify({ email: user.email, password: 'battery staple' })
      })
      expect(await session.json()).toMatchObject({ success: true })
      await api.workbench('PUT', '/settings', { service_terms_and_conditions_version: null })
      // Who is signed in: nobody yet. And what only system administrators see.
      await window.finish(/401/, /403/)
    })

    it('a key is made for another user, and is listed with its name', async () => {
      const { app, api } = started
      await makeUser(started, { full_name: 'Sync robot', permissions: { subscriber: ['read'] } })
      const window = await Window.open(browser, app)
      const { page } = window
      await page.getByRole('link', { name: 'API access' }).click()
      await page.getByLabel('What is the key for?').fill('Nightly sync')
      await page.getByRole('button', { name: 'For', exact: true }).click()
      await page.getByRole('option', { name: 'Sync robot (Standard user)' }).click()
      await menuIsGone(page)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Copy the key now').waitFor()
      await page.getByRole('listitem').filter({ hasText: 'Nightly sync' }).getByText('Sync robot').waitFor()
      await window.screenshot('api-access')
      const { data } = await api.workbench<{ user_name: string }[]>('GET', '/api_keys')
      expect(data[0]).toMatchObject({ name: 'Nightly sync', user_name: 'Sync robot' })
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByLabel('Subscriber limit').fill('5000')
      await page.getByLabel('Version of the terms and conditions').fill('2')
      await page.getByLabel('Terms and conditions', { exact: true }).fill('Be kind.')
      await window.screenshot('settings')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The settings were saved.').first().waitFor()
      expect((await api.workbench('GET', '/organization')).data).toMatchObject({ subscriber_limit: 5000 })
      await window.finish()
    })
  }
)

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { Reading } from '../../src-main/contact-files/schema.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeList, makeSubscriber } from '../support/builders.ts'
import { entryPoint } from '../support/built.ts'

const execute = promisify(execFile)

async function run(dataDirectory: string, ...args: string[]): Promise<{ status: number; text: string }> {
  const all = [entryPoint, 'import', ...args, '--data-dir', dataDirectory]
  return execute(process.execPath, all).then(
    ({ stdout }) => ({ status: 0, text: stdout }),
    (error: unknown) => {
      const failed = error as { stdout: string; stderr: string; code: number }
      return { status: failed.code, text: failed.stdout + failed.stderr }
    }
  )
}

const people =
  'E-Mail;Vorname;PLZ;Newsletter\nanna@example.org;Anna;01067;ja\nbert@example.org;Bert;10115;nein\n'

describe('listwright import', () => {
  it('shows the proposal, and imports it with --accept, beside an application that runs', async () => {
    const { dataDirectory, api } = await startApplication()
    const list = await makeList(api, { name: 'Customers' })
    const file = join(await temporaryDirectory(), 'people.csv')
    await writeFile(file, people)

    const shown = await run(dataDirectory, file, '--list', 'customers')
    const done = await run(dataDirectory, file, '--list', 'Customers', '--accept', '--json')

    expect(shown.status).toBe(0)
    expect(shown.text).toContain('PLZ                            -> PLZ (new field, text)')
    expect(shown.text).toContain('1 of 2 people seem to have opted out')
    expect(shown.text).toContain('Nothing was imported.')
    expect(done.status).toBe(0)
    expect(JSON.parse(done.text)).toMatchObject({
      import: 1,
      stats: { subscribers: { added: 2, failed: 0 } }
    })
    expect(await allSubscribers(api, list.id)).toMatchObject([
      { email: 'anna@example.org', status: 'active', custom_fields: { PLZ: { value: '01067' } } },
      { email: 'bert@example.org', status: 'unsubscribed' }
    ])
  })

  it('ends with status 2 where rows failed, creates the list, and reads the next file by a saved description', async () => {
    const dataDirectory = join(await temporaryDirectory(), 'data')
    const folder = await temporaryDirectory()
    const [file, saved] = [join(folder, 'people.csv'), join(folder, 'reading.json')]
    await writeFile(file, `${people}nobody;;;\n`)

    const first = await run(
      dataDirectory,
      file,
      '--list',
      'New',
      '--accept',
      '--save-reading',
      saved,
      '--json'
    )
    const reading = JSON.parse(await readFile(saved, 'utf8')) as Reading
    await writeFile(saved, JSON.stringify({ ...reading, opted_out: 'leave_out' }))
    await writeFile(
      file,
      'E-Mail;Vorname;PLZ;Newsletter\ncleo@example.org;Cleo;1;ja\ndora@example.org;Dora;2;nein\n'
    )
    const second = await run(dataDirectory, file, '--list', 'New', '--reading', saved, '--json')

    expect(first.status).toBe(2)
    expect(JSON.parse(first.text)).toMatchObject({ stats: { subscribers: { added: 2, failed: 1 } } })
    expect(second.status).toBe(0)
    expect(JSON.parse(second.text)).toMatchObject({
      stats: { number_of_records: 1, subscribers: { added: 1 } }
    })
  })

  it.each([
    [['--list', 'L'], /needs exactly one file/],
    [['none.csv', '--list', 'L'], /no file none\.csv/],
    [[entryPoint], /needs --list/],
    [[entryPoint, '--list', 'L', '--reading', entryPoint], /must name a file of JSON/]
  ])('with %j says what is wrong', async (args, sentence) => {
    const { status, text } = await run(join(await temporaryDirectory(), 'data'), ...args)

    expect(status).toBe(1)
    expect(text).toMatch(sentence)
  })

  it.each([
    [
      'a column',
      'people.csv',
      'Email Address,UNSUB_TIME\nanna@example.org,2024-01-02\nbert@example.org,2024-01-03\n'
    ],
    ['its name alone', 'unsubscribes.csv', 'Email Address\nanna@example.org\nbert@example.org\n']
  ])(
    'unsubscribes people who are on the list where %s says that everyone has opted out',
    async (_, name, content) => {
      const { dataDirectory, api } = await startApplication()
      const list = await makeList(api)
      await makeSubscriber(api, list.id, 'anna@example.org')
      const file = join(await temporaryDirectory(), name)
      await writeFile(file, content)

      const done = await run(dataDirectory, file, '--list', list.name, '--accept')

      expect(done.status).toBe(0)
      expect(await allSubscribers(api, list.id)).toMatchObject([
        { email: 'anna@example.org', status: 'unsubscribed' },
        { email: 'bert@example.org', status: 'unsubscribed' }
      ])
    }
  )

  it.each([
    ['was not accepted', 'people.csv', 'email\na@example.org\n', 0],
    ['cannot be read', 'people.xlsx', 'PK\u0003\u0004 and no more', 1]
  ])('leaves no new list behind where the file %s', async (_, name, content, status) => {
    const { dataDirectory, api } = await startApplication()
    const file = join(await temporaryDirectory(), name)
    await writeFile(file, content)

    expect((await run(dataDirectory, file, '--list', 'Passing')).status).toBe(status)

    const { data } = await api.get<MailingList[]>('/mailing_lists?per_page=100')
    expect(data.map(({ name }) => name)).not.toContain('Passing')
  })
})

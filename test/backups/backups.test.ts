import SQLite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { Backups } from '../../src-main/backups/backups.ts'
import { Copies } from '../../src-main/backups/copies.ts'
import { Credentials } from '../../src-main/base/credentials.ts'
import type { BackupsAnswer } from '../../src-main/backups/endpoints.ts'
import { backupName, backupsIn } from '../../src-main/backups/files.ts'
import type { RestoreInPlace, RestoreRequest } from '../../src-main/backups/restore-request.ts'
import { outlived } from '../../src-main/backups/rotation.ts'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { makeOrganization } from '../support/accounts.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'
import { serve } from '../support/process.ts'
import { importText, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'

function backup(dataDirectory: string, ...args: string[]): Promise<{ status: number; answer: Answer }> {
  const all = [entryPoint, 'backup', ...args, '--data-dir', dataDirectory, '--json']
  return new Promise((done) => {
    execFile(process.execPath, all, { maxBuffer: 1e8 }, (error, stdout) => {
      expect(stdout.trimEnd().split('\n').length).toBe(1)
      done({ status: Number(error?.code ?? 0), answer: JSON.parse(stdout) as Answer })
    })
  })
}

interface Answer {
  file?: string
  bytes?: number
  subscribers?: number
  set_aside?: string | null
  backups?: { file: string; kind: string }[]
  ok?: boolean
  faults?: string[]
  losses_file?: string
  error?: string
}

async function emails(api: Client, listId: number): Promise<string[]> {
  const { data } = await api.get<{ email: string }[]>(`/mailing_lists/${listId}/subscribers?per_page=500`)
  return data.map(({ email }) => email)
}

const prepared = JSON.stringify({
  stage: 'prepared',
  backup: '/gone.db',
  outlasting: { ids: {}, nextIds: {} },
  before: null
} satisfies RestoreRequest)

describe('backups', () => {
  it('are made beside an application that runs, listed, checked and put back; the state before is put aside', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api, { name: 'Readers' })
    await makeSubscriber(api, list.id, 'a@example.com')
    const made = await backup(dataDirectory, 'create')
    expect(made).toMatchObject({ status: 0, answer: { subscribers: 1 } })
    const { file = '', bytes } = made.answer
    expect(statSync(file).size).toBe(bytes)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readdirSync(join(dataDirectory, 'backups')).sort()).toEqual(
      [file, `${file}.json`].map((path) => path.split('/').at(-1))
    )
    expect((await backup(dataDirectory, 'verify', file)).answer).toMatchObject({ ok: true, faults: [] })

    await makeSubscriber(api, list.id, 'b@example.com')
    expect(await backup(dataDirectory, 'restore', file)).toMatchObject({
      status: 1,
      answer: { error: expect.stringContaining('Another Listwright already uses the data') as string }
    })
    await app.close()
    const restored = await backup(dataDirectory, 'restore', file)
    expect(restored).toMatchObject({ status: 0, answer: { subscribers: 1 } })
    const second = await startApplication(dataDirectory)
    expect(await emails(second.api, list.id)).toEqual(['a@example.com'])
    await second.app.close()

    const { answer } = await backup(dataDirectory, 'list')
    expect(answer.backups?.map(({ kind }) => kind)).toEqual(['before_restore', 'manual'])
    await backup(dataDirectory, 'restore', restored.answer.set_aside ?? '')
    const third = await startApplication(dataDirectory)
    expect(await emails(third.api, list.id)).toEqual(['a@example.com', 'b@example.com'])
  })

  it('contain the data of a single moment while an import is writing', async () => {
    const { api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const content = Array.from({ length: 150_000 }, (_, row) => `person${row}@example.com`).join('\n')
    const { data } = await api.post<SubscriberImport>(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email'],
        file_source: { type: 'json', content },
        file_format: { csv_has_headers: false }
      }
    })
    const found: number[] = []
    for (let made = 0; made < 4; made++) {
      const { status, answer } = await backup(dataDirectory, 'create')
      // Reading it back compares every counter with what is there.
      expect([status, answer.error]).toEqual([0, undefined])
      found.push(answer.subscribers ?? 0)
    }
    expect(found).toEqual([...found].sort((a, b) => a - b))
    await api.imported(data.id)
  })

  it('refuses a backup that is damaged, foreign or of an incompatible version, and changes no data', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    await importText(
      api,
      list.id,
      `email\n${Array.from({ length: 3000 }, (_, row) => `p${row}@example.com`).join('\n')}`
    )
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await app.close()
    const database = join(dataDirectory, 'listwright.db')
    const before = readFileSync(database)
    const directory = await temporaryDirectory()

    const bytes = readFileSync(file)
    const at = bytes.indexOf('p1500@example.com')
    bytes.write('q', at)
    const flipped = join(directory, 'flipped.db')
    writeFileSync(flipped, bytes)
    copyFileSync(`${file}.json`, `${flipped}.json`)
    const { status, answer } = await backup(dataDirectory, 'verify', flipped)
    expect(status).toBe(1)
    expect(answer.ok).toBe(false)
    expect(answer.faults?.length).toBeGreaterThan(0)

    const cut = join(directory, 'cut.db')
    writeFileSync(cut, readFileSync(file).subarray(0, 8192 * 3))
    const text = join(directory, 'text.db')
    writeFileSync(text, 'not a database at all '.repeat(100))
    const other = join(directory, 'other.db')
    const foreign = new SQLite(other)
    foreign.exec('CREATE TABLE notes (id INTEGER)')
    foreign.close()
    const changedTo = (name: string, pragma: string): string => {
      const path = join(directory, name)
      copyFileSync(file, path)
      const changed = new SQLite(path)
      changed.pragma(pragma)
      changed.close()
      return path
    }
    const newer = changedTo('newer.db', 'user_version = 999')
    const unreleased = changedTo('unreleased.db', 'user_version = 5')
    const marked = changedTo('marked.db', 'application_id = 77')
    for (const [path, sentence] of [
      [flipped, 'cannot be used'],
      [cut, ''],
      [text, 'is not a Listwright backup'],
      [other, 'is not a Listwright backup'],
      [newer, 'was written by a newer Listwright'],
      [unreleased, 'was written before the first release'],
      [marked, 'is not a Listwright backup'],
      [join(directory, 'gone.db'), 'There is no file']
    ] as const) {
      const refused = await backup(dataDirectory, 'restore', path)
      expect(refused, path).toMatchObject({ status: 1 })
      expect(refused.answer.error, path).toContain(sentence)
    }
    expect(readFileSync(database).equals(before)).toBe(true)
    expect(backupsIn(join(dataDirectory, 'backups')).map(({ kind }) => kind)).toEqual(['manual'])
  })

  it('are put back where the application does not start any more, and what was damaged is put aside', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    await makeSubscriber(api, list.id, 'a@example.com')
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await app.close()
    const database = join(dataDirectory, 'listwright.db')
    const garbage = Buffer.alloc(20_000, 'damaged')
    writeFileSync(database, garbage)
    await expect(startApplication(dataDirectory)).rejects.toThrow()
    const { answer } = await backup(dataDirectory, 'restore', file)
    expect(readFileSync(answer.set_aside ?? '').equals(garbage)).toBe(true)
    const again = await startApplication(dataDirectory)
    expect(await emails(again.api, list.id)).toEqual(['a@example.com'])
    const elsewhere = join(await temporaryDirectory(), 'new')
    expect(await backup(elsewhere, 'restore', file)).toMatchObject({ status: 0, answer: { set_aside: null } })
  })

  it('are put back by the next start where the window asks for it', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const { data } = await api.workbench<{ name: string }>('POST', '/backups')
    await makeSubscriber(api, list.id, 'later@example.com')
    expect((await api.workbench('POST', `/backups/${data.name}/verify`)).data).toMatchObject({ ok: true })
    expect((await api.workbench('POST', '/backups/listwright-backup-x.db/restore')).error_code).toBe(
      'not_found'
    )
    expect((await api.workbench('POST', '/backups/..%2Flistwright.db/restore')).error_code).toBe('not_found')
    await api.workbench('POST', `/backups/${data.name}/restore`)
    expect((await api.workbench<BackupsAnswer>('GET', '/backups')).data.restoring).toBe(data.name)
    await app.close()
    const second = await startApplication(dataDirectory)
    expect(await emails(second.api, list.id)).toEqual([])
    const { data: now } = await second.api.workbench<BackupsAnswer>('GET', '/backups')
    expect(now).toMatchObject({ restoring: null, fault: null })
    expect(now.backups.map(({ kind }) => kind)).toEqual(['before_restore', 'manual'])
    await second.api.workbench('DELETE', `/backups/${data.name}`)
    expect(existsSync(join(dataDirectory, 'backups', `${data.name}.json`))).toBe(false)
  })

  it('that will be restored at the next start are not deleted', async () => {
    const { api } = await startApplication()
    const make = async () =>
      (await api.workbench<{ name: string }>('POST', '/backups', { kind: 'before_change' })).data.name
    const name = await make()
    await api.workbench('POST', `/backups/${name}/restore`)
    for (let change = 0; change < 6; change++) await make()
    expect((await api.workbench('DELETE', `/backups/${name}`)).error_message).toBe(
      'the backup is to be restored at the next start; keep the current data before you delete it'
    )
    expect((await api.workbench('POST', `/backups/${name}/verify`)).data).toMatchObject({ ok: true })
    await api.workbench('DELETE', '/backups/restore')
    expect((await api.workbench('DELETE', `/backups/${name}`)).success).toBe(true)
  })

  it('a restore pauses the scheduled campaigns, and never reuses later ids', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const dispatch = { from_email: 'sender@example.com', begins_at: '2040-01-01T00:00:00Z' }
    const scheduled = await makeCampaign(api, list.id, { dispatch_attributes: dispatch })
    await makeSubscriber(api, list.id, 'a@example.com')
    const { data } = await api.workbench<{ name: string }>('POST', '/backups')
    const later = await makeCampaign(api, list.id)
    const person = await makeSubscriber(api, list.id, 'b@example.com')
    const folder = await temporaryDirectory()
    await api.workbench('PUT', '/backups/copies', { folder, passphrase: 'a long passphrase' })
    await api.workbench('POST', `/backups/${data.name}/restore`)
    await app.close()

    const second = await startApplication(dataDirectory)
    const { data: state } = await second.api.workbench<BackupsAnswer>('GET', '/backups')
    expect(state.restored).toEqual({ name: data.name, paused_campaigns: 1 })
    expect(state.copies).toMatchObject({ folder })
    const { data: campaign } = await second.api.get<CampaignDetail>(`/campaigns/${scheduled.id}`)
    expect(campaign.dispatch).toMatchObject({ state: 'scheduled', paused: true })
    expect((await makeCampaign(second.api, list.id)).id).toBeGreaterThan(later.id)
    expect((await makeSubscriber(second.api, list.id, 'c@example.com')).id).toBeGreaterThan(person.id)
    await second.app.close()
    const third = await startApplication(dataDirectory)
    expect((await third.api.workbench<BackupsAnswer>('GET', '/backups')).data.restored).toBeNull()
  })

  it('the next start finishes an interrupted restore, even if the backup no longer exists', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await makeSubscriber(api, list.id, 'later@example.com')
    await app.close()
    copyFileSync(file, join(dataDirectory, '.listwright.db.restored'))
    writeFileSync(join(dataDirectory, 'restore.json'), prepared)
    // As it is where it was cut off a moment later.
    writeFileSync(join(dataDirectory, 'listwright.db-wal.replaced'), 'the log of the data that is replaced')
    const second = await startApplication(dataDirectory)
    expect(await emails(second.api, list.id)).toEqual([])
    expect((await second.api.workbench<BackupsAnswer>('GET', '/backups')).data).toMatchObject({
      restored: { name: 'gone.db' },
      fault: null
    })
    await second.app.close()
    expect(readdirSync(dataDirectory).filter((name) => /restore|replaced/.test(name))).toEqual([])
  })

  it('a restore first finishes the interrupted one before it', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    const { id } = await makeCampaign(api, list.id)
    const own = await makeOrganization({ api, app })
    await app.close()
    await backup(dataDirectory, 'restore', file)
    // Simulate a restore that stopped before the restored copy replaced the database. Then restore from a truncated backup.
    const request = join(dataDirectory, 'restore.json')
    const inPlace = JSON.parse(readFileSync(request, 'utf8')) as RestoreInPlace
    writeFileSync(request, JSON.stringify({ ...inPlace, stage: 'prepared', before: null }))
    renameSync(join(dataDirectory, 'listwright.db'), join(dataDirectory, '.listwright.db.restored'))
    const broken = join(await temporaryDirectory(), 'broken.db')
    writeFileSync(broken, readFileSync(file).subarray(0, 9000))
    expect((await backup(dataDirectory, 'restore', broken)).status).toBe(1)
    expect(readdirSync(dataDirectory)).not.toContain('.listwright.db.restored')
    expect((await backup(dataDirectory, 'restore', file)).status).toBe(0)
    const second = await startApplication(dataDirectory)
    expect((await makeCampaign(second.api, list.id)).id).toBeGreaterThan(id)
    expect(await makeOrganization(second)).toBeGreaterThan(own)
  })

  it('ignore a log that another copy has left', async () => {
    const { app, dataDirectory } = await startApplication()
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await app.close()
    const killed = await serve(dataDirectory)
    const list = await makeList(killed.api)
    await killed.end('SIGKILL')
    copyFileSync(join(dataDirectory, 'listwright.db-wal'), join(dataDirectory, '.listwright.db.restored-wal'))
    expect((await backup(dataDirectory, 'restore', file)).status).toBe(0)
    const second = await startApplication(dataDirectory)
    expect((await second.api.get(`/mailing_lists/${list.id}`)).error_code).toBe('not_found')
  })

  it('the application does not start while a restore is in place but not finished', async () => {
    const { app, api, dataDirectory } = await startApplication()
    await makeList(api)
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await app.close()
    copyFileSync(file, join(dataDirectory, '.listwright.db.restored'))
    writeFileSync(join(dataDirectory, 'restore.json'), prepared)
    // What is noted of the pages cannot be forgotten.
    const sums = join(dataDirectory, 'listwright.db-sums')
    rmSync(sums)
    mkdirSync(sums)
    await expect(startApplication(dataDirectory)).rejects.toThrow(
      /^The backup is in place, but the restore is not finished: .*start Listwright again\.$/
    )
    rmSync(sums, { recursive: true })
    const second = await startApplication(dataDirectory)
    expect((await second.api.workbench<BackupsAnswer>('GET', '/backups')).data).toMatchObject({
      restored: { name: 'gone.db' },
      fault: null
    })
  })

  it('can be restored even if the present data is in an unusual state', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await app.close()
    const odd = new SQLite(join(dataDirectory, 'listwright.db'))
    odd.exec(`INSERT INTO settings (name, value) VALUES ('backup_copies', '{"folder": "/m');
      UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'mailing_lists'`)
    odd.close()
    expect(await backup(dataDirectory, 'restore', file)).toMatchObject({ status: 0 })
    const second = await startApplication(dataDirectory)
    expect((await makeList(second.api)).id).toBe(list.id + 1)
  })

  it('that cannot be put in place leave the data as they are, with their log', async () => {
    const directory = await temporaryDirectory()
    const application = await serve(directory)
    const list = await makeList(application.api)
    await application.end('SIGTERM')
    const cutOff = await serve(directory)
    await makeSubscriber(cutOff.api, list.id, 'in.the.log@example.com')
    await cutOff.end('SIGKILL')
    writeFileSync(join(directory, 'restore.json'), prepared)
    // No file that could take the place of the database.
    mkdirSync(join(directory, '.listwright.db.restored'))
    const { app, api } = await startApplication(directory)
    expect(await emails(api, list.id)).toEqual(['in.the.log@example.com'])
    const { data } = await api.workbench<BackupsAnswer>('GET', '/backups')
    expect(data.fault?.rule).toBe('restore_failed')
    expect((await api.workbench<{ state: string }>('GET', '/integrity')).data.state).not.toBe('damaged')
    await app.close()
    rmSync(join(directory, '.listwright.db.restored'), { recursive: true })
  })

  it('are for their owner alone once they are in place, wherever they came from', async () => {
    const { app, dataDirectory } = await startApplication()
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    await app.close()
    const stick = join(await temporaryDirectory(), 'stick.db')
    copyFileSync(file, stick)
    chmodSync(stick, 0o444)
    expect(await backup(dataDirectory, 'restore', stick)).toMatchObject({ status: 0 })
    expect(statSync(join(dataDirectory, 'listwright.db')).mode & 0o777).toBe(0o600)
    const { answer } = await backup(dataDirectory, 'import', stick)
    expect(statSync(answer.file ?? '').mode & 0o777).toBe(0o600)
  })

  it('do not overwrite an existing file with the name of their checksum file', async () => {
    const { dataDirectory } = await startApplication()
    const folder = await temporaryDirectory()
    writeFileSync(join(folder, 'export.json'), 'somebody’s own')
    expect((await backup(dataDirectory, 'create', join(folder, 'export'))).answer.error).toBe(
      `The file ${join(folder, 'export.json')} already exists.`
    )
    expect(readdirSync(folder)).toEqual(['export.json'])
    const { file = '' } = (await backup(dataDirectory, 'create')).answer
    writeFileSync(`${file}.json`, '')
    expect((await backup(dataDirectory, 'verify', file)).answer.faults).toEqual([
      `${file}.json, which tells what was written, is damaged`
    ])
  })

  it('that can no longer be restored at the next start leave the data unchanged and report it', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api)
    const { data } = await api.workbench<{ name: string }>('POST', '/backups')
    await api.workbench('POST', `/backups/${data.name}/restore`)
    await makeSubscriber(api, list.id, 'later@example.com')
    await app.close()
    const path = join(dataDirectory, 'backups', data.name)
    chmodSync(path, 0o600)
    writeFileSync(path, 'gone')
    const second = await startApplication(dataDirectory)
    expect(await emails(second.api, list.id)).toEqual(['later@example.com'])
    const { data: now } = await second.api.workbench<BackupsAnswer>('GET', '/backups')
    expect(now.fault?.rule).toBe('restore_failed')
    await second.app.close()
    expect((await startApplication(dataDirectory)).app.dataDirectory).toBe(dataDirectory)
  })
})

describe('backups that are made by themselves', () => {
  const hour = 60 * 60 * 1000
  const at = (time: number) => ({
    name: backupName('scheduled', time),
    path: '',
    kind: 'scheduled' as const,
    createdAt: time,
    bytes: 1
  })

  it('are kept for 24 hours, 7 days and 4 weeks, the newest of each', () => {
    const now = Date.UTC(2026, 10, 23, 12)
    const hourly = Array.from({ length: 24 * 60 }, (_, hours) => at(now - hours * hour))
    const gone = new Set(outlived(hourly, now))
    const left = hourly.filter((backup) => !gone.has(backup)).map(({ createdAt }) => (now - createdAt) / hour)
    expect(left.filter((hours) => hours < 24)).toEqual(Array.from({ length: 24 }, (_, hours) => hours))
    expect(left.length).toBeLessThanOrEqual(24 + 7 + 4)
    expect(Math.max(...left)).toBeGreaterThan(14 * 24)
    expect(Math.max(...left)).toBeLessThan(36 * 24)
    // Whatever is removed, removing again changes nothing.
    expect(
      outlived(
        hourly.filter((backup) => !gone.has(backup)),
        now
      )
    ).toEqual([])
    // A computer that was off for months loses nothing that it had.
    const old = [at(now - 5000 * hour), at(now - 5001 * hour)]
    expect(outlived(old, now).length).toBeLessThanOrEqual(1)
    expect(outlived([{ ...at(0), kind: 'manual' as const }], now)).toEqual([])
  })

  it('of the future do not displace those that are made after the clock was set back', () => {
    const now = Date.UTC(2020, 0, 1)
    const ahead = Array.from({ length: 60 }, (_, days) => at(now + (1000 + days) * 24 * hour))
    const gone = outlived(ahead, now)
    // As many as of those of the past.
    expect(outlived(ahead, now + 2000 * 24 * hour)).toEqual(gone)
    expect(outlived([...ahead, at(now), at(now - 24 * hour)], now)).toEqual(gone)
    const beforeChanges = ahead.map((each) => ({ ...each, kind: 'before_change' as const }))
    const made = { ...at(now), kind: 'before_change' as const }
    expect(outlived([...beforeChanges, made], now)).not.toContainEqual(made)
  })

  it('before large changes: the newest five are kept', async () => {
    const { api } = await startApplication()
    const names: string[] = []
    for (let change = 0; change < 6; change++)
      names.push(
        (await api.workbench<{ name: string }>('POST', '/backups', { kind: 'before_change' })).data.name
      )
    await api.workbench('POST', '/backups')
    const { backups } = (await api.workbench<BackupsAnswer>('GET', '/backups')).data
    const left = backups.filter(({ kind }) => kind === 'before_change').map(({ name }) => name)
    expect(left.sort()).toEqual(names.slice(1).sort())
    expect(backups.filter(({ kind }) => kind === 'manual').length).toBe(1)
  })

  it('are made when they are due and something changed, as often as is set', async () => {
    const { api, dataDirectory } = await startApplication()
    const reader = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
    const copies = new Copies(reader, new Credentials(dataDirectory, null), dataDirectory)
    const backups = new Backups(reader, dataDirectory, { state: 'sound' }, copies)
    const made = async (time: number): Promise<number> => {
      await backups.makeWhatIsDue(time)
      return backups.list().length
    }
    const now = Date.now()
    await makeList(api)
    expect(await made(now)).toBe(1)
    expect(await made(now + hour)).toBe(1)
    expect(await made(now + 25 * hour)).toBe(1)
    await makeList(api)
    expect(await made(now + 25 * hour)).toBe(2)
    await makeList(api)
    await api.workbench('PUT', '/settings', { service_backups: 'off' })
    expect(await made(now + 500 * hour)).toBe(2)
    await api.workbench('PUT', '/settings', { service_backups: 'hourly' })
    expect(await made(now + 2 * hour)).toBe(3)
    expect(backups.fault).toBeNull()
    await backups.close()
    await reader.destroy()
  })

  it('are made from the readable part of damaged data, and restored like others', async () => {
    const { app, api, dataDirectory } = await startApplication()
    const list = await makeList(api, { name: 'Readers' })
    for (let person = 0; person < 200; person++) await makeSubscriber(api, list.id, `p${person}@example.com`)
    expect((await api.workbench('POST', '/backups/recover')).error_message).toBe(
      'The data is not damaged: there is nothing to recover.'
    )
    await app.close()
    const database = join(dataDirectory, 'listwright.db')
    // The page of the database that holds this person, with what stands around them.
    const bytes = readFileSync(database)
    const page = Math.floor(bytes.indexOf('p77@example.comp77@example.com') / 4096)
    expect(page).toBeGreaterThan(0)
    writeFileSync(database, bytes.fill(0, page * 4096, (page + 1) * 4096))

    const { status, answer } = await backup(dataDirectory, 'recover')
    expect(status).toBe(0)
    const { file = '', subscribers = 0, losses_file: lossesFile = '' } = answer
    expect(readFileSync(database).equals(bytes)).toBe(true)
    const losses = readFileSync(lossesFile, 'utf8')
    expect(losses).toContain('p77@example.com,Readers,Lost')
    expect(losses.match(/^Subscriber,.*,Lost$/gm)).toHaveLength(200 - subscribers)
    expect(await backup(dataDirectory, 'restore', file)).toMatchObject({ status: 0, answer: { subscribers } })
    const second = await startApplication(dataDirectory)
    expect((await emails(second.api, list.id)).length).toBe(subscribers)
    expect(await emails(second.api, list.id)).not.toContain('p77@example.com')
    await makeSubscriber(second.api, list.id, 'p77@example.com')
  })
})

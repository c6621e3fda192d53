import { refusal } from '../../src-main/base/refusal.ts'
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Backups } from '../../src-main/backups/backups.ts'
import { Copies, type CopiesSetting } from '../../src-main/backups/copies.ts'
import { encryptBackup } from '../../src-main/backups/encrypt-backup.ts'
import { decryptFile, encryptFile } from '../../src-main/backups/encryption.ts'
import type { BackupsAnswer } from '../../src-main/backups/endpoints.ts'
import { importFile } from '../../src-main/backups/import-file.ts'
import { verifyBackup } from '../../src-main/backups/verify.ts'
import { Credentials } from '../../src-main/base/credentials.ts'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import { secretIn } from '../../src-main/headless/secret-file.ts'
import { sharedApplication, startApplication, temporaryDirectory } from '../support/application.ts'
import { makeList, makeSubscriber } from '../support/builders.ts'
import { entryPoint } from '../support/built.ts'
import { serve } from '../support/process.ts'

const passphrase = 'correct horse battery: grün'

interface Answer {
  file?: string
  restored?: string
  subscribers?: number
  ok?: boolean
  error?: string
}

function command(dataDirectory: string, args: string[], secret?: string): Promise<Answer> {
  const secretFile = join(mkdtempSync(join(tmpdir(), 'listwright-secret-')), 'passphrase')
  if (secret !== undefined) writeFileSync(secretFile, `${secret}\n`)
  const all = [
    entryPoint,
    'backup',
    ...args,
    '--data-dir',
    dataDirectory,
    '--json',
    ...(secret === undefined ? [] : ['--passphrase-file', secretFile])
  ]
  return new Promise((done) => {
    execFile(process.execPath, all, (_error, stdout) => done(JSON.parse(stdout) as Answer))
  })
}

describe('encrypted backups', () => {
  const started = sharedApplication()
  let encrypted: string

  beforeAll(async () => {
    const list = await makeList(started.api, { name: 'Readers' })
    await makeSubscriber(started.api, list.id, 'secret.person@example.com')
    encrypted = join(mkdtempSync(join(tmpdir(), 'listwright-encrypted-')), 'backup.db.age')
    const made = await command(started.dataDirectory, ['create', encrypted], passphrase)
    expect(made).toMatchObject({ file: encrypted, subscribers: 1 })
  })
  afterAll(() => rmSync(dirname(encrypted), { recursive: true }))

  async function refusal(file: string, secret: string | null): Promise<string> {
    const folder = join(await temporaryDirectory(), 'backups')
    const failure: unknown = await importFile(file, join(folder, 'new.db'), secret).then(
      () => null,
      (error: unknown) => error
    )
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
    return failure instanceof Error ? failure.message : 'it was taken'
  }

  it('reveal nothing of their contents, and are readable only by their owner', () => {
    const content = readFileSync(encrypted)
    expect(content.includes('secret.person')).toBe(false)
    expect(content.toString('latin1', 0, 21)).toBe('age-encryption.org/v1')
    expect(statSync(encrypted).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(encrypted, '..'))).toEqual(['backup.db.age'])
  })

  it('are verified, and restored on another computer, with their passphrase', async () => {
    const elsewhere = await temporaryDirectory()
    expect(await command(elsewhere, ['verify', encrypted], passphrase)).toMatchObject({
      file: encrypted,
      ok: true,
      subscribers: 1
    })
    const restored = await command(elsewhere, ['restore', encrypted], passphrase)
    expect(restored).toMatchObject({ subscribers: 1 })
    expect(restored.restored).toMatch(/listwright-imported-.*\.db$/)
    expect((await verifyBackup(join(elsewhere, 'listwright.db'))).subscribers).toBe(1)
  })

  it('are refused without the passphrase or with a wrong one', async () => {
    const elsewhere = await temporaryDirectory()
    expect(await command(elsewhere, ['restore', encrypted])).toEqual({
      error: 'The file is encrypted. Its passphrase is given with --passphrase-file.'
    })
    expect(await command(elsewhere, ['restore', encrypted], 'another passphrase')).toEqual({
      error: 'The passphrase is wrong.'
    })
    expect(await refusal(encrypted, null)).toBe('The file is encrypted: its passphrase is needed.')
    expect(await refusal(encrypted, `${passphrase} `)).toBe('The passphrase is wrong.')
  })

  it('are refused where a byte was changed, or the end is missing', async () => {
    const folder = await temporaryDirectory()
    const changed = join(folder, 'changed.age')
    writeFileSync(join(folder, 'plain'), Buffer.alloc(200_000, 'abcdefg'))
    await encryptFile(join(folder, 'plain'), changed, passphrase, 1)
    const whole = readFileSync(changed)
    writeFileSync(changed, whole.with(whole.length - 5000, (whole.at(-5000) ?? 0) ^ 1))
    expect(await refusal(changed, passphrase)).toBe('The encrypted file was changed, or is not all there.')
    for (const length of [whole.length - 1, 100_000, 190, 60]) {
      writeFileSync(changed, whole.subarray(0, length))
      expect(await refusal(changed, passphrase)).toBe('The encrypted file was changed, or is not all there.')
    }
  })

  it('may be archives as well', async () => {
    const archive = join(await temporaryDirectory(), 'all.zip.age')
    expect(await command(started.dataDirectory, ['export', archive], passphrase)).toMatchObject({
      subscribers: 1
    })
    const elsewhere = await temporaryDirectory()
    expect(await command(elsewhere, ['import', archive], passphrase)).toMatchObject({ subscribers: 1 })
    expect(readdirSync(join(elsewhere, 'backups')).filter((name) => !name.endsWith('.json')).length).toBe(1)
  })

  it('are not made with a passphrase that is short, nor in the place of another file', async () => {
    const file = join(await temporaryDirectory(), 'short.age')
    expect(await command(started.dataDirectory, ['create', file], 'elevenchars')).toEqual({
      error: 'passphrase must have at least 12 characters'
    })
    expect(await command(started.dataDirectory, ['create'], passphrase)).toEqual({
      error: 'an encrypted backup needs a path, such as backup.db.age'
    })
    writeFileSync(file, 'somebody’s own')
    expect(await command(started.dataDirectory, ['create', file], passphrase)).toEqual({
      error: `The file ${file} already exists.`
    })
    expect(readFileSync(file, 'utf8')).toBe('somebody’s own')
    expect(readdirSync(join(file, '..'))).toEqual(['short.age'])
  })

  it('keep what they were given, whatever its size', async () => {
    const folder = await temporaryDirectory()
    const [plain, closed, opened] = ['plain', 'closed', 'opened'].map((name) => join(folder, name)) as [
      string,
      string,
      string
    ]
    for (const size of [0, 1, 65_536, 65_537, 3_000_000]) {
      const content = Buffer.alloc(size, 'abcdefg')
      writeFileSync(plain, content)
      await encryptFile(plain, closed, passphrase, 1)
      await decryptFile(closed, opened, passphrase)
      expect(readFileSync(opened).equals(content)).toBe(true)
    }
  })

  it('are downloaded from the page, and imported there with their passphrase', async () => {
    const { api, app } = started
    const { data } = await api.workbench<{ name: string }>('POST', '/backups')
    const path = `/backups/${data.name}/encrypted`
    expect((await api.workbench('POST', path, { passphrase: 'elevenchars' })).error_message).toBe(
      'passphrase must have at least 12 characters'
    )
    expect((await api.workbench('GET', path)).error_code).toBe('not_found')
    expect((await api.workbench('POST', path, { passphrase })).success).toBe(true)
    const headers = { Authorization: api.authorization }
    const file = await (await fetch(`${app.baseUrl}/app/v1${path}`, { headers })).bytes()
    const send = async (secret?: string) => {
      const answer = await fetch(`${app.baseUrl}/app/v1/backups/import`, {
        method: 'PUT',
        body: file,
        headers: { ...headers, ...(secret !== undefined && { 'X-Passphrase': secret }) }
      })
      return (await answer.json()) as { data: { kind: string } | null; error_message: string | null }
    }
    expect((await send(encodeURIComponent(passphrase))).data?.kind).toBe('imported')
    expect((await send()).error_message).toBe('The file is encrypted: its passphrase is needed.')
    expect((await send('another')).error_message).toBe('The passphrase is wrong.')
    expect((await send('%')).error_message).toBe('the header X-Passphrase must be percent-encoded')
    const { data: all } = await api.workbench<BackupsAnswer>('GET', '/backups')
    for (const { name } of all.backups) await api.workbench('DELETE', `/backups/${name}`)
    expect(readdirSync(join(started.dataDirectory, 'backups'))).toEqual([])
  })

  it('write nothing that is not encrypted into the folder that they go to', async () => {
    const folder = await temporaryDirectory()
    const seen = new Set<string>()
    const watcher = watch(folder, (_event, name) => void seen.add(name ?? ''))
    await command(started.dataDirectory, ['create', join(folder, 'b.age')], passphrase)
    await command(started.dataDirectory, ['export', join(folder, 'e.age')], passphrase)
    watcher.close()
    expect([...seen].sort()).toEqual(['.b.age.part', '.e.age.part', 'b.age', 'e.age'])
    expect(readdirSync(join(started.dataDirectory, 'backups'))).toEqual([])
  })

  it('include the log beside the backup, and are not made from a damaged backup', async () => {
    const directory = await temporaryDirectory()
    const application = await serve(directory)
    const list = await makeList(application.api)
    await application.end('SIGTERM')
    const cutOff = await serve(directory)
    await makeSubscriber(cutOff.api, list.id, 'in.the.log@example.com')
    await cutOff.end('SIGKILL')
    const aside = join(directory, 'aside.db')
    for (const part of ['', '-wal']) copyFileSync(join(directory, `listwright.db${part}`), aside + part)
    await encryptBackup(aside, `${aside}.age`, passphrase, 1)
    const copy = join(directory, 'copy.db')
    expect((await importFile(`${aside}.age`, copy, passphrase)).subscribers).toBe(1)
    expect((await importFile(aside, join(directory, 'plain.db'), null)).subscribers).toBe(1)
    expect(statSync(copy).mode & 0o777).toBe(0o600)

    const bytes = readFileSync(copy)
    bytes.write('IN', bytes.indexOf('in.the.log@example.com'))
    writeFileSync(copy, bytes)
    const whole = readFileSync(`${aside}.age`)
    await expect(encryptBackup(copy, `${aside}.age`, passphrase, 1)).rejects.toThrow('cannot be used')
    expect(readFileSync(`${aside}.age`).equals(whole)).toBe(true)
    expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('are verified like others, and so are archives', async () => {
    const folder = await temporaryDirectory()
    await command(started.dataDirectory, ['export', join(folder, 'all.zip')])
    await command(started.dataDirectory, ['export', join(folder, 'all.zip.age')], passphrase)
    for (const name of ['all.zip', 'all.zip.age'])
      expect(await command(folder, ['verify', join(folder, name)], passphrase)).toMatchObject({
        ok: true,
        subscribers: 1
      })
  })

  it('accept a passphrase in any Unicode normalization form', async () => {
    const folder = await temporaryDirectory()
    const [plain, closed, opened] = [join(folder, 'plain'), join(folder, 'closed'), join(folder, 'opened')]
    writeFileSync(plain, 'content')
    await encryptFile(plain, closed, 'grüne Bäume im Wald'.normalize('NFD'), 1)
    await decryptFile(closed, opened, 'grüne Bäume im Wald'.normalize('NFC'))
    expect(readFileSync(opened, 'utf8')).toBe('content')
    await expect(encryptFile(plain, closed, ' '.repeat(20), 1)).rejects.toThrow('at least 12 characters')
    // Editors begin a file with a mark, or write it in another encoding.
    const secretFile = join(folder, 'secret')
    writeFileSync(secretFile, `\ufeff${passphrase}\r\n`)
    expect(secretIn('passphrase-file', 'passphrase', secretFile)).toBe(passphrase)
    writeFileSync(secretFile, passphrase, 'latin1')
    expect(() => secretIn('passphrase-file', 'passphrase', secretFile)).toThrow('as UTF-8 text')
  })

  it('a plain backup is imported, and refused if damaged', async () => {
    const folder = await temporaryDirectory()
    const plain = join(folder, 'plain.db')
    await command(started.dataDirectory, ['create', plain])
    expect((await importFile(plain, join(folder, 'backups', 'new.db'), null)).subscribers).toBe(1)
    writeFileSync(plain, readFileSync(plain).fill(0, 4096, 8192))
    expect(await refusal(plain, null)).toMatch(/^The (backup cannot be used|file is)/)
    writeFileSync(plain, readFileSync(plain).subarray(0, 50))
    expect(await refusal(plain, null)).toBe('The file is not a Listwright backup, or is damaged.')
  })
})

describe('encrypted copies of automatic backups', () => {
  const hour = 60 * 60 * 1000
  const day = 24 * hour

  it('keep their passphrase if a new one is refused', async () => {
    const { dataDirectory } = await startApplication()
    const reader = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
    const credentials = new Credentials(dataDirectory, null)
    const copies = new Copies(reader, credentials, dataDirectory)
    const folder = await temporaryDirectory()
    const settings: CopiesSetting[] = []
    await copies.set(folder, passphrase, (setting) => {
      settings.push(setting)
      return Promise.resolve(null)
    })
    const locked = copies.set(folder, 'another long passphrase', () =>
      Promise.reject(new Error('the data is locked'))
    )
    await expect(locked).rejects.toThrow('the data is locked')
    const [{ place, passphrase_place: where }] = settings as [CopiesSetting]
    expect(await credentials.read(`copies-${place}`, where)).toBe(passphrase)
    expect(readdirSync(folder)).toEqual([place])
    expect(readdirSync(join(dataDirectory, 'credentials'))).toEqual([`copies-${place}`])
    await reader.destroy()
  })

  it('makes encrypted copies again after the clock was temporarily ahead', async () => {
    const { api, dataDirectory } = await startApplication()
    const folder = await temporaryDirectory()
    await api.workbench('PUT', '/backups/copies', { folder, passphrase })
    const reader = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
    const copies = new Copies(reader, new Credentials(dataDirectory, null), dataDirectory)
    const backups = new Backups(reader, dataDirectory, { state: 'sound' }, copies, 4)
    const [place = ''] = readdirSync(folder)
    const now = Date.now()
    for (const [time, count] of [
      [now + 400 * day, 1],
      [now, 2],
      [now + day, 3]
    ] as const) {
      await makeList(api)
      await backups.makeWhatIsDue(time)
      expect(backups.list().length).toBe(count)
      expect(readdirSync(join(folder, place)).length).toBe(count)
    }
    await backups.close()
    await reader.destroy()
  })

  it('go to the chosen folder, and are kept in the same number as backups', async () => {
    const { api, dataDirectory } = await startApplication()
    await makeList(api)
    const folder = await temporaryDirectory()
    const set = (to: string, secret = passphrase) =>
      api.workbench('PUT', '/backups/copies', { folder: to, passphrase: secret })
    const state = async () => (await api.workbench<BackupsAnswer>('GET', '/backups')).data.copies
    expect(await state()).toBeNull()
    expect((await set('copies')).error_message).toMatch(/^folder must be a whole path, such as /)
    expect((await set(join(folder, 'none'))).error_message).toMatch(/^folder must exist; there is no folder /)
    const link = join(folder, 'link')
    symlinkSync(dataDirectory, link)
    for (const within of [dataDirectory, link])
      expect((await set(within)).error_message).toBe(
        'folder must be outside of the folder that holds the data'
      )
    rmSync(link)
    expect((await set(`${folder}\0`)).error_message).toMatch(/^folder must be a whole path/)
    expect((await set(folder, 'elevenchars')).error_message).toBe(
      'passphrase must have at least 12 characters'
    )
    expect((await set(folder)).success).toBe(true)
    expect(await state()).toEqual({ folder, last_at: null, fault: null })

    const reader = kyselyOver(openForReading(join(dataDirectory, 'listwright.db')))
    const copies = new Copies(reader, new Credentials(dataDirectory, null), dataDirectory)
    const backups = new Backups(reader, dataDirectory, { state: 'sound' }, copies, 4)
    await api.workbench('PUT', '/settings', { service_backups: 'hourly' })
    const now = Date.now()
    await backups.makeWhatIsDue(now)
    const [place = ''] = readdirSync(folder)
    expect(place).toMatch(/^listwright-.+-[0-9a-f]{6}$/)
    const made = () => readdirSync(join(folder, place))
    expect(made().length).toBe(1)
    expect(await state()).toMatchObject({ folder, last_at: expect.any(String) as string })
    await backups.makeWhatIsDue(now)
    expect(made().length).toBe(1)
    const [first = ''] = made()
    expect((await importFile(join(folder, place, first), join(folder, 'new.db'), passphrase)).ok).toBe(true)

    // A drive that is not connected: its folder is not made, and the copy is made up for.
    renameSync(folder, `${folder}-away`)
    await makeList(api)
    await backups.makeWhatIsDue(now + hour)
    expect((await copies.state())?.fault).toEqual(refusal('no_folder', { field: 'folder', folder }))
    renameSync(`${folder}-away`, folder)
    await backups.makeWhatIsDue(now + hour)
    expect((await copies.state())?.fault).toBeNull()
    expect(made().length).toBe(2)

    // A mount point without its drive: nothing is written where the drive belongs.
    renameSync(join(folder, place), `${folder}-place`)
    await backups.makeWhatIsDue(now + hour)
    expect((await copies.state())?.fault?.rule).toBe('folder_missing')
    expect(readdirSync(folder)).not.toContain(place)
    writeFileSync(join(folder, place), 'not a folder')
    expect(await state()).toMatchObject({ folder })
    rmSync(join(folder, place))
    renameSync(`${folder}-place`, join(folder, place))

    // Two of one hour long ago: the older one is not kept.
    const [old, older, others] = ['10-50', '10-40', '10-30'].map(
      (time) => `listwright-scheduled-2020-01-01T${time}-00.000Z.db.age`
    ) as [string, string, string]
    for (const name of [old, older]) writeFileSync(join(folder, place, name), '')
    mkdirSync(join(folder, 'listwright-other-000000'))
    writeFileSync(join(folder, 'listwright-other-000000', others), '')
    await backups.makeWhatIsDue(now + hour)
    expect(made()).not.toContain(older)
    expect(readdirSync(join(folder, 'listwright-other-000000'))).toEqual([others])

    rmSync(join(dataDirectory, 'credentials'), { recursive: true })
    await makeList(api)
    await backups.makeWhatIsDue(now + 2 * hour)
    expect((await copies.state())?.fault).toEqual(refusal('passphrase_unreadable'))
    // What is opened in another way lies in a folder of its own.
    const other = 'another long passphrase'
    expect((await set(folder, other)).success).toBe(true)
    const [second = ''] = readdirSync(folder).filter(
      (name) => name.startsWith('listwright-') && ![place, 'listwright-other-000000'].includes(name)
    )
    await backups.makeWhatIsDue(now + 2 * hour)
    // Two copies: one by `backups`, whose clock is two hours ahead, and one by the running application.
    const inSecond = () => readdirSync(join(folder, second)).filter((name) => name.endsWith('.age'))
    await expect.poll(() => inSecond().length, { timeout: 10_000 }).toBe(2)
    const [any = ''] = inSecond()
    expect((await importFile(join(folder, second, any), join(folder, 'any.db'), other)).ok).toBe(true)
    expect((await api.workbench('DELETE', '/backups/copies')).success).toBe(true)
    expect(await state()).toBeNull()
    await makeList(api)
    await backups.makeWhatIsDue(now + 3 * hour)
    expect(inSecond().length).toBe(2)
    await backups.close()
    await reader.destroy()
    // A database that cannot be read is reported, and does not end the process.
    await backups.makeWhatIsDue(now + 4 * hour)
    expect(backups.fault).not.toBeNull()
  })
})

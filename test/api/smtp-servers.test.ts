import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DeliveryRoute, SmtpServer } from '../../src-main/api/smtp-servers/schema.ts'
import type { SmtpTest } from '../../src-main/delivery/endpoints.ts'
import { sharedApplication } from '../support/application.ts'
import { expectSuccess } from '../support/builders.ts'
import { mailServer } from '../support/mail-server.ts'

const started = sharedApplication()
let made = 0

async function makeServer(settings: Record<string, unknown> = {}): Promise<SmtpServer> {
  const smtp_server = {
    name: `Server ${++made}`,
    host: 'smtp.example.com',
    username: 'anna',
    secret: 'a password',
    ...settings
  }
  return expectSuccess(await started.api.post<SmtpServer>('/smtp_servers', { smtp_server }))
}

async function refusalOf(settings: Record<string, unknown>): Promise<string | null> {
  const smtp_server = { name: `Server ${++made}`, host: 'smtp.example.com', username: 'anna', ...settings }
  return (await started.api.post('/smtp_servers', { smtp_server })).error_message
}

describe('an SMTP server', () => {
  it('never answers its password, which is in no database', async () => {
    const server = await makeServer({ secret: 'very secret 4711' })

    expect(server).toMatchObject({ has_secret: true, port: 587, security: 'starttls' })
    expect(JSON.stringify(server)).not.toContain('4711')
    for (const file of ['listwright.db', 'listwright.db-wal']) {
      expect((await readFile(join(started.dataDirectory, file))).includes('very secret 4711')).toBe(false)
    }
  })

  it('loses its password when its host changes, so that no other server gets it', async () => {
    const { id } = await makeServer()

    const renamed = await started.api.put<SmtpServer>(`/smtp_servers/${id}`, {
      smtp_server: { name: 'Renamed' }
    })
    const moved = await started.api.put<SmtpServer>(`/smtp_servers/${id}`, {
      smtp_server: { host: 'smtp.evil.example' }
    })

    expect(renamed.data.has_secret).toBe(true)
    expect(moved.data.has_secret).toBe(false)
  })

  it('keeps its password if its host is written in another way', async () => {
    const { id, host } = await makeServer()

    const smtp_server = { host: ` ${host.toUpperCase()}. ` }
    const same = await started.api.put<SmtpServer>(`/smtp_servers/${id}`, { smtp_server })

    expect(same.data).toMatchObject({ host, has_secret: true })
  })

  it('keeps its password if a change is refused', async () => {
    const user = { name: 'anna', password: 'the right one' }
    const server = await mailServer({ user })
    const { id } = await makeServer({
      ...{ host: '127.0.0.1', port: server.port, security: 'none' },
      ...{ username: user.name, secret: user.password }
    })

    const smtp_server = { host: 'not valid', secret: 'for another server' }
    expect((await started.api.put(`/smtp_servers/${id}`, { smtp_server })).error_code).toBe(
      'validation_failed'
    )

    const test = { recipient: 'me@example.com' }
    const { data } = await started.api.post<SmtpTest>(`/smtp_servers/${id}/test`, { test })
    expect(data.is_accepted).toBe(true)
  })

  it('without protection is allowed on this computer only', async () => {
    expect(await refusalOf({ security: 'none' })).toMatch(
      /^security can be none only for a server on this computer/
    )
    await makeServer({ security: 'none', host: '127.0.0.1' })
    await makeServer({ security: 'none', host: 'localhost' })
  })

  it.each([
    [{ host: 'no host' }, /^host must be the name of a mail server/],
    [{ port: 0 }, /^port/],
    [{ username: ' ' }, /^username cannot be blank when authentication is password/],
    [{ sender_domains: ['a b'] }, /^sender_domains\.0 must be a domain/],
    [{ connections: 0 }, /^connections/]
  ])('is refused with a sentence that names the field: %j', async (settings, sentence) => {
    expect(await refusalOf(settings)).toMatch(sentence)
  })

  it('is not deleted while a route leads to it', async () => {
    const { id, name } = await makeServer()
    const route = (ids: number[]) =>
      started.api.put<DeliveryRoute>('/delivery_routes/0', { delivery_route: { smtp_server_ids: ids } })
    expect((await route([id])).data).toMatchObject({ transport: 'smtp', smtp_server_ids: [id] })

    const refused = await started.api.delete(`/smtp_servers/${id}`)
    expect(refused.error_message).toBe(
      `${name} cannot be deleted while these routes lead to it: System Default Route. Choose another server for them first`
    )

    expect((await route([])).data).toMatchObject({ transport: 'outbox', smtp_server_ids: [] })
    expectSuccess(await started.api.delete(`/smtp_servers/${id}`))
  })
})

describe('a test message', () => {
  it('is sent, and answers the conversation without the password', async () => {
    const user = { name: 'anna', password: 'secret-4711' }
    const server = await mailServer({ user })
    const { id } = await makeServer({
      ...{ host: '127.0.0.1', port: server.port, security: 'none' },
      ...{ username: user.name, secret: user.password }
    })

    const { data } = await started.api.post<SmtpTest>(`/smtp_servers/${id}/test`, {
      test: { recipient: 'me@example.com', from_email: 'news@example.com' }
    })

    expect(data.is_accepted).toBe(true)
    expect(server.received).toMatchObject([{ from: 'news@example.com', to: 'me@example.com' }])
    const said = JSON.stringify(data.conversation)
    expect(said).toContain('RCPT TO:<me@example.com>')
    expect(said).not.toContain('4711')
    expect(said).not.toContain(Buffer.from('\0anna\0secret-4711').toString('base64'))
  })

  it('says what a server answered that refuses it', async () => {
    const server = await mailServer({
      treat: () => ({ refuse: 554, words: '5.7.1 Relay access denied', at: 'rcpt' })
    })
    const { id } = await makeServer({
      ...{ host: '127.0.0.1', port: server.port, security: 'none', authentication: 'none' }
    })

    const { data } = await started.api.post<SmtpTest>(`/smtp_servers/${id}/test`, {
      test: { recipient: 'me@example.com' }
    })

    expect(data).toMatchObject({ is_accepted: false, reply: '554 5.7.1 Relay access denied' })
  })
})

import { describe, expect, it } from 'vitest'
import {
  type SmtpLine,
  type SmtpServerPlan,
  SmtpSession,
  SmtpUnavailable
} from '../../../src-main/delivery/smtp/smtp-session.ts'
import { mailServer, type Treatment } from '../../support/mail-server.ts'

const envelope = { from: 'news@example.com', to: 'anna@example.org' }
const content = Buffer.from('Subject: Hello\r\n\r\n.A line with a dot\r\n')

function planFor(port: number, changes: Partial<SmtpServerPlan> = {}): SmtpServerPlan {
  return {
    id: 1,
    name: 'Ours',
    host: '127.0.0.1',
    port,
    security: 'none',
    authentication: 'none',
    username: '',
    ...changes
  }
}

async function sendTo(treatment: Treatment, body = content) {
  const server = await mailServer({ treat: () => treatment })
  const session = await SmtpSession.open(planFor(server.port), null)
  let isHandedOver = false
  const outcome = await session.send(envelope, body, () => (isHandedOver = true))
  session.abort()
  return { outcome, isHandedOver, received: server.received }
}

describe('the outcome of a message', () => {
  it('is accepted with the words of the server, which has it byte by byte', async () => {
    const { outcome, received } = await sendTo({ accept: true })

    expect(outcome).toEqual({ is: 'accepted', reply: expect.stringMatching(/^250 /) as string })
    expect(received).toEqual([{ ...envelope, content: content.toString() }])
  })

  it('is deferred after a reply of 4xx and refused after one of 5xx, at the recipient or after the data', async () => {
    for (const at of ['rcpt', 'data'] as const) {
      const later = await sendTo({ refuse: 451, words: '4.7.1 Come back', at })
      const never = await sendTo({ refuse: 550, words: '5.1.1 Unknown user', at })

      expect(later.outcome).toEqual({ is: 'deferred', code: 451, reply: '451 4.7.1 Come back' })
      expect(never.outcome).toEqual({ is: 'refused', code: 550, reply: '550 5.1.1 Unknown user' })
    }
  })

  it('is unsent if the connection is lost before the data', async () => {
    const { outcome, isHandedOver } = await sendTo({ cut: 'before', keeps: false })

    expect(outcome.is).toBe('unsent')
    expect(isHandedOver).toBe(false)
  })

  it('is unsent if the connection is lost within a message that is too long to have left', async () => {
    const { outcome, isHandedOver } = await sendTo(
      { cut: 'inside', keeps: false },
      Buffer.alloc(20_000_000, 'x\r\n')
    )

    expect(outcome.is).toBe('unsent')
    expect(isHandedOver).toBe(false)
  })

  it('is uncertain if the connection is lost after the final dot, whether the server has it or not', async () => {
    for (const keeps of [true, false]) {
      const { outcome, isHandedOver, received } = await sendTo({ cut: 'after', keeps })

      expect(outcome.is).toBe('uncertain')
      expect(isHandedOver).toBe(true)
      expect(received).toHaveLength(keeps ? 1 : 0)
    }
  })

  it.each([30_000, 65_500, 65_535, 65_536, 131_072, 300_000, 5_000_000])(
    'is accepted whatever the size: %i bytes of lines that begin with a dot',
    async (size) => {
      const lines = Buffer.alloc(size, '.23456789012345678\r\n')

      const { outcome } = await sendTo({ accept: true }, lines)

      expect(outcome.is).toBe('accepted')
    }
  )

  it('is a refusal of the recipient if no command can hold the address', async () => {
    const server = await mailServer()
    const session = await SmtpSession.open(planFor(server.port), null)

    const outcome = await session.send({ ...envelope, to: 'an>na@example.org' }, content, () => undefined)

    expect(outcome).toMatchObject({ is: 'refused', code: 553 })
    session.abort()
  })
})

describe('opening a session', () => {
  it('signs in by password, and leaves the password out of the conversation', async () => {
    const user = { name: 'anna', password: 'a secret' }
    const server = await mailServer({ user })
    const lines: SmtpLine[] = []
    const plan = planFor(server.port, { authentication: 'password', username: user.name })

    const session = await SmtpSession.open(plan, user.password, {
      log: (line) => void lines.push(line)
    })
    session.quit()

    const said = lines.map(({ text }) => text).join('\n')
    expect(said).toContain('AUTH PLAIN')
    expect(said).not.toContain(user.password)
    expect(said).not.toContain(Buffer.from(`\0${user.name}\0${user.password}`).toString('base64'))
  })

  it('signs in by an access token, and leaves the token out of the conversation', async () => {
    const server = await mailServer({ user: { name: 'anna', password: 'a-token', method: 'XOAUTH2' } })
    const lines: SmtpLine[] = []
    const plan = planFor(server.port, { authentication: 'xoauth2', username: 'anna' })

    const session = await SmtpSession.open(plan, 'a-token', { log: (line) => void lines.push(line) })
    session.quit()
    await expect(SmtpSession.open(plan, 'another')).rejects.toMatchObject({ fault: { kind: 'sign_in' } })

    const said = lines.map(({ text }) => text).join('\n')
    expect(said).toContain('AUTH XOAUTH2')
    expect(said).not.toContain(
      Buffer.from('user=anna\u0001auth=Bearer a-token\u0001\u0001').toString('base64')
    )
  })

  it('names a wrong password', async () => {
    const server = await mailServer({ user: { name: 'anna', password: 'right' } })
    const plan = planFor(server.port, { authentication: 'password', username: 'anna' })

    await expect(SmtpSession.open(plan, 'wrong')).rejects.toMatchObject({ fault: { kind: 'sign_in' } })
  })

  it('names a server that is not there, and one without the protection that is wanted', async () => {
    const server = await mailServer()
    const plan = planFor(server.port)
    await server.close()
    await expect(SmtpSession.open(plan, null)).rejects.toMatchObject({ fault: { kind: 'unreachable' } })

    const plain = await mailServer()
    const protectedPlan = planFor(plain.port, { security: 'starttls' })
    await expect(SmtpSession.open(protectedPlan, null)).rejects.toBeInstanceOf(SmtpUnavailable)
    await expect(SmtpSession.open(protectedPlan, null)).rejects.toMatchObject({
      fault: { kind: 'protection' }
    })
  })
})

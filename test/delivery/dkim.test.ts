import fc from 'fast-check'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { describe, expect, it } from 'vitest'
import type { DkimKey } from '../../src-main/api/dkim-keys/schema.ts'
import { signMessage } from '../../src-main/delivery/mime/dkim.ts'
import { keyFor } from '../../src-main/delivery/signing.ts'
import { startApplication } from '../support/application.ts'
import { expectSuccess } from '../support/builders.ts'
import { mailServer } from '../support/mail-server.ts'
import { listWith, routeTo, sendNow, untilState } from '../support/smtp-route.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')
const signer = { domain: 'example.com', selector: 'listwright', privateKey }

/** Returns what another implementation says of the signatures of a message. */
async function verify(message: Buffer | string, record = `v=DKIM1; k=rsa; p=${publicKey}`) {
  const { results } = await dkimVerify(message, {
    resolver: async (name: string) => {
      if (name === 'listwright._domainkey.example.com') return [[record]]
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    }
  })
  return results
}

const header = [
  'From: "News" <news@example.com>',
  'To: anna@example.org',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'List-Unsubscribe: <mailto:news@example.com?subject=unsubscribe>,',
  ' <https://example.com/u/1>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8'
].join('\r\n')

describe('a signed message', () => {
  it('verifies in another implementation, whatever its body looks like', async () => {
    const piece = fc.constantFrom('a', 'ä', ' ', '\t', '\r\n', '.', '=', 'From ')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const message = Buffer.from(`${header}\r\n\r\n${pieces.join('')}\r\n`)

        const [result] = await verify(await signMessage(message, signer, Date.now()))

        expect(result?.status).toMatchObject({ result: 'pass' })
      }),
      { numRuns: 200 }
    )
  })

  it('covers the headers for unsubscribing, and a From that is added later breaks it', async () => {
    const signed = (
      await signMessage(Buffer.from(`${header}\r\n\r\nHello\r\n`), signer, Date.now())
    ).toString()

    const names = /h=([^;]*);/.exec(signed)?.[1]?.replaceAll(/\s/g, '').split(':')
    const [forged] = await verify(`From: evil@example.net\r\n${signed}`)
    const [changed] = await verify(signed.replace('u/1', 'u/2'))

    expect(names).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post', 'subject']))
    expect(forged?.status.result).toBe('fail')
    expect(changed?.status.result).toBe('fail')
  })
})

describe('the key of a sender', () => {
  it('is that of its domain, or else of the nearest domain above it', () => {
    const keys = ['example.com', 'news.example.com', 'ample.com'].map((domain) => ({ domain }))

    expect(keyFor('a@news.example.com', keys)?.domain).toBe('news.example.com')
    expect(keyFor('a@shop.example.com', keys)?.domain).toBe('example.com')
    expect(keyFor('a@example.org', keys)).toBeNull()
  })
})

describe('DKIM keys', () => {
  it('sign campaigns, and leave nothing of the private key in the database', async () => {
    const server = await mailServer()
    const { api, dataDirectory } = await startApplication()
    await routeTo(api, server.port)
    const list = await listWith(api, ['anna@example.org'])
    const key = expectSuccess(await api.post<DkimKey>('/dkim_keys', { dkim_key: { domain: 'Example.com' } }))

    await untilState(api, (await sendNow(api, list.id)).id, 'finished')

    const [result] = await verify(server.received[0]?.content ?? '', key.record_value)
    expect(key.record_name).toBe('listwright._domainkey.example.com')
    expect(result?.status).toMatchObject({ result: 'pass', aligned: 'example.com' })
    const secret = await readFile(join(dataDirectory, 'credentials', `dkim-${key.id}`), 'utf8')
    const line = secret.split('\n')[5] ?? ''
    expect(line.length).toBeGreaterThan(60)
    for (const file of ['listwright.db', 'listwright.db-wal']) {
      expect((await readFile(join(dataDirectory, file))).includes(line)).toBe(false)
    }
  })

  it('leave signing to a server that signs itself, and sign nothing once disabled', async () => {
    const server = await mailServer()
    const { api } = await startApplication()
    const { id } = await routeTo(api, server.port, { signs_dkim: true })
    const list = await listWith(api, ['anna@example.org'])
    const key = expectSuccess(await api.post<DkimKey>('/dkim_keys', { dkim_key: { domain: 'example.com' } }))

    await untilState(api, (await sendNow(api, list.id)).id, 'finished')
    expectSuccess(await api.put(`/smtp_servers/${id}`, { smtp_server: { signs_dkim: false } }))
    expectSuccess(await api.put(`/dkim_keys/${key.id}`, { dkim_key: { is_enabled: false } }))
    await untilState(api, (await sendNow(api, list.id)).id, 'finished')

    expect(server.received).toHaveLength(2)
    expect(server.received.some(({ content }) => content.includes('DKIM-Signature'))).toBe(false)
  })

  it('refuse what most mailbox providers do not check, and say what would be right', async () => {
    const { api } = await startApplication()
    const pem = (type: 'ed25519' | 'rsa'): string => {
      const pair =
        type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 512 }) : generateKeyPairSync(type)
      return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    }
    const refused = async (private_key: string): Promise<string | null> =>
      (await api.post('/dkim_keys', { dkim_key: { domain: 'example.com', private_key } })).error_message

    expect(await refused(pem('ed25519'))).toContain('key of type ed25519')
    expect(await refused(pem('rsa'))).toContain('512 bits')
    expect(await refused('ssh-rsa AAAA')).toContain('not an RSA private key in PEM')
  })
})

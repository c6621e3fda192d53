import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openOutbox } from '../../src-main/delivery/outbox.ts'
import { temporaryDirectory } from '../support/application.ts'

const message = (text: string) => ({
  envelope: { from: 'a@example.com', to: 'b@example.com' },
  content: Buffer.from(`Subject: Hello\r\n\r\n${text}\r\n`)
})

async function twoMessages() {
  const path = join(await temporaryDirectory(), 'outbox', 'campaign.mbox')
  const outbox = openOutbox(path, 0)
  const positions = [outbox.send([message('One')]), outbox.send([message('Two')])] as const
  outbox.close()
  return { path, positions, whole: await readFile(path) }
}

describe('an outbox', () => {
  it('that is longer than its stored position is truncated there, so that nothing is sent twice', async () => {
    const { path, positions, whole } = await twoMessages()
    await appendFile(path, 'half a message')
    const again = openOutbox(path, positions[0])
    expect(again.send([message('Two')])).toBe(positions[1])
    again.close()
    expect((await readFile(path)).toString().replaceAll(/^From .*$/gm, '')).toBe(
      whole.toString().replaceAll(/^From .*$/gm, '')
    )
  })

  it('that is shorter than its noted position is continued at its end', async () => {
    const { path, positions } = await twoMessages()
    await truncate(path, 10)
    const again = openOutbox(path, positions[1])
    expect(again.send([message('Three')])).toBeGreaterThan(10)
    again.close()
    const text = (await readFile(path)).toString()
    expect(text).toHaveLength(text.indexOf('Three') + 'Three\n\n'.length)
  })

  it('drops exactly what follows a position', async () => {
    const { path, positions } = await twoMessages()
    const again = openOutbox(path, 'end')
    again.takeBack(positions[0])
    again.takeBack(positions[1])
    again.close()
    expect((await readFile(path)).length).toBe(positions[0])
  })

  it('escapes lines that look like separators, so that they can be restored', async () => {
    const path = join(await temporaryDirectory(), 'campaign.mbox')
    const outbox = openOutbox(path, 0)
    outbox.send([message('From here\r\n>From there\r\n>>From afar\r\n From within\r\nfrom below')])
    outbox.close()
    const [, body = ''] = (await readFile(path)).toString().split('\n\n')
    expect(body.split('\n')).toEqual([
      '>From here',
      '>>From there',
      '>>>From afar',
      ' From within',
      'from below'
    ])
  })

  it('ends each message with an empty line', async () => {
    const path = join(await temporaryDirectory(), 'campaign.mbox')
    await writeFile(path, '')
    const outbox = openOutbox(path, 'end')
    outbox.send([{ ...message(''), content: Buffer.from('Subject: A\r\n\r\nno break') }, message('B')])
    outbox.close()
    expect((await readFile(path)).toString()).toMatch(
      /^From a@example\.com \w{3} \w{3} \d\d [\d:]{8} \d{4}\nSubject: A\n\nno break\n\nFrom /
    )
  })
})

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FlightLog, readFlightLog } from '../../../src-main/delivery/smtp/flight-log.ts'
import { temporaryDirectory } from '../../support/application.ts'

const key = (subscriberId: number) => ({ sliceId: 1, subscriberId, number: 0 })
const accepted = { is: 'accepted', reply: '250 Ok' } as const

async function openLog() {
  const path = join(await temporaryDirectory(), 'sending', 'campaign-1.log')
  return { path, log: FlightLog.open(path) }
}

describe('the log of messages in flight', () => {
  it('tells those without a reply from those with one, as another thread reads it', async () => {
    const { path, log } = await openLog()
    log.recordHandover(key(1))
    log.recordHandover(key(2))
    log.recordReply(key(2), accepted)
    await nextTurn()

    const known = readFlightLog(path)

    expect(known?.get('1.1.0')?.is).toBe('uncertain')
    expect(known?.get('1.2.0')).toEqual(accepted)
    expect(known?.has('1.3.0')).toBe(false)
    log.close()
  })

  it('proves nothing if there is none, or the computer was started again since', async () => {
    const { path, log } = await openLog()
    log.recordHandover(key(1))
    expect(readFlightLog(`${path}.other`)).toBeNull()

    writeFileSync(path, readFileSync(path, 'utf8').replace(/"boot":"[^"]*"/, '"boot":"another"'))

    expect(readFlightLog(path)).toBeNull()
    log.close()
  })

  it('proves nothing if something else has written into it', async () => {
    const { path, log } = await openLog()
    log.recordHandover(key(1))
    writeFileSync(path, `${readFileSync(path, 'utf8')}R 1.1.0 {"is":"acc\n`)

    expect(readFlightLog(path)).toBeNull()
    log.close()
  })

  it('ignores a last line that was not written whole', async () => {
    const { path, log } = await openLog()
    log.recordHandover(key(1))
    writeFileSync(path, `${readFileSync(path, 'utf8')}R 1.1.0 {"is":"acc`)

    expect(readFlightLog(path)?.get('1.1.0')?.is).toBe('uncertain')
    log.close()
  })

  it('stays small: it forgets what the database knows, and keeps the rest', async () => {
    const { path, log } = await openLog()
    log.recordHandover(key(1))
    for (let id = 2; id < 60_000; id++) {
      log.recordHandover(key(id))
      log.forget([key(id)])
    }

    expect(statSync(path).size).toBeLessThan(1.1 * 1024 * 1024)
    expect(readFlightLog(path)?.get('1.1.0')?.is).toBe('uncertain')
    log.close()
  })

  it('is removed when everything is known', async () => {
    const { path, log } = await openLog()
    log.recordHandover(key(1))
    log.recordReply(key(1), accepted)
    log.forget([key(1)])
    log.close()

    expect(readFlightLog(path)).toBeNull()
  })
})

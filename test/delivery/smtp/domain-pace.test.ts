import { describe, expect, it } from 'vitest'
import { asksForLess, DomainPace, domainOf } from '../../../src-main/delivery/smtp/domain-pace.ts'

const minute = 60_000
const domain = 'slow.example'

/** A pace that has slowed a domain down at time 0. */
function slowedPace(): DomainPace {
  const pace = new DomainPace([minute, 30 * minute])
  pace.slowDown(domain, 0)
  return pace
}

/** Returns how many messages a domain gets in a period, if it is asked all the time. */
function messagesIn(pace: DomainPace, from: number, to: number): number {
  let messages = 0
  for (let now = from; now < to; now += 10) if (pace.reserveTime(domain, now) === now) messages++
  return messages
}

describe('the pace of a domain', () => {
  it('is not limited before it refuses a message, and each domain has its own', () => {
    const pace = slowedPace()

    expect(pace.reserveTime('fast.example', 5)).toBe(5)
    expect(new DomainPace([minute, minute]).reserveTime(domain, 5)).toBe(5)
  })

  it('pauses for a minute after a refusal, and then takes one message a second', () => {
    const pace = slowedPace()

    expect(messagesIn(pace, 0, minute)).toBe(0)
    expect(messagesIn(pace, minute, 2 * minute)).toBe(60)
  })

  it('gives those that have to wait different times, a second apart', () => {
    const pace = slowedPace()

    const places = Array.from({ length: 3 }, () => pace.reserveTime(domain, 0))

    expect(places).toEqual([minute + 1000, minute + 2000, minute + 3000])
  })

  it('reserves no time further ahead than ten minutes, since the domain may be faster by then', () => {
    const pace = slowedPace()

    const places = Array.from({ length: 5000 }, () => pace.reserveTime(domain, 0))

    expect(Math.max(...places)).toBe(10 * minute)
  })

  it('pauses for twice as long after another refusal, and halves its messages', () => {
    const pace = slowedPace()
    pace.slowDown(domain, minute)

    expect(messagesIn(pace, minute, 3 * minute)).toBe(0)
    expect(messagesIn(pace, 3 * minute, 4 * minute)).toBe(30)
  })

  it('counts refusals of messages that were under way together as one', () => {
    const pace = slowedPace()

    expect(pace.slowDown(domain, 10)).toBe(false)
    expect(pace.perMinute(domain)).toBe(60)
  })

  it('grows with the messages that are accepted, until there is no limit', () => {
    const pace = slowedPace()

    for (let message = 0; message < 20; message++) pace.accepted(domain)
    expect(pace.perMinute(domain)).toBe(120)
    for (let message = 0; message < 200; message++) pace.accepted(domain)
    expect(pace.takeChanges()).toMatchObject([{ domain, interval: 0 }])
    expect(pace.reserveTime(domain, 5)).toBe(5)
  })

  it('is the same after it was stored and loaded', () => {
    const pace = slowedPace()
    const restarted = new DomainPace([minute, 10 * minute])

    restarted.load(pace.takeChanges())

    expect(pace.takeChanges()).toEqual([])
    expect(restarted.perMinute(domain)).toBe(60)
    expect(restarted.reserveTime(domain, 0)).toBeGreaterThan(0)
  })
})

it('a reply asks for fewer messages if it is 421, or a temporary one about policy', () => {
  expect(asksForLess(421, '421 Too busy')).toBe(true)
  expect(asksForLess(450, '450 4.7.1 Rate limited')).toBe(true)
  expect(asksForLess(450, '450 4.2.1 Mailbox busy')).toBe(false)
  expect(asksForLess(550, '550 5.7.1 Not allowed')).toBe(false)
  expect(asksForLess(null, 'The connection was closed')).toBe(false)
})

it('the domain of an address is what follows the last @, in lower case', () => {
  expect(domainOf('"a@b"@Example.ORG')).toBe('example.org')
})

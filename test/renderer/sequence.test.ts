import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../src-main/api/autoresponders/schema.ts'
import { canSwap, sequencesOf, swappedDelays } from '../../src-renderer/model/sequence.ts'

function autoresponder(id: number, more: Partial<Autoresponder>): Autoresponder {
  return {
    ...{
      id,
      name: `A${id}`,
      trigger: 'subscription',
      delay: 'with_delay',
      delay_amount: 0,
      delay_unit: 'days'
    },
    ...{ delay_time: 9, trigger_autoresponder_to_open_id: null, trigger_campaign_to_open_id: null },
    ...more
  } as Autoresponder
}

const welcome = autoresponder(1, { delay: 'immediately' })
const later = autoresponder(2, { delay_amount: 1, delay_unit: 'weeks' })
const reminder = autoresponder(3, {
  ...{ trigger: 'autoresponder_nonopen', trigger_autoresponder_to_open_id: 1, delay_amount: 3 }
})
const offer = autoresponder(4, { trigger: 'api', delay_amount: 2, delay_unit: 'hours' })

describe('the sequences of a list', () => {
  it('order messages by when they are due after their beginning, through others that trigger them', () => {
    const sequences = sequencesOf([later, offer, reminder, welcome])

    expect(
      sequences.map(({ trigger, steps }) => [
        trigger,
        steps.map(({ autoresponder: { name }, day, condition }) => `${day} ${name} ${condition ?? ''}`.trim())
      ])
    ).toEqual([
      ['subscription', ['0 A1', '3 A3 nonopen', '7 A2']],
      ['api', ['0 A4']]
    ])
  })

  it('end where autoresponders trigger each other in a circle', () => {
    const first = autoresponder(5, { trigger: 'autoresponder_send', trigger_autoresponder_to_open_id: 6 })
    const second = autoresponder(6, { trigger: 'autoresponder_send', trigger_autoresponder_to_open_id: 5 })

    expect(sequencesOf([first, second]).flatMap(({ steps }) => steps)).toHaveLength(2)
  })

  it('let messages of one trigger change places by their delays', () => {
    const [{ steps }] = sequencesOf([welcome, later, reminder]) as [ReturnType<typeof sequencesOf>[number]]

    expect(canSwap(steps[0], steps[2])).toBe(true)
    expect(canSwap(steps[0], steps[1])).toBe(false)
    expect(swappedDelays(welcome, later)).toMatchObject([
      { delay: 'with_delay', delay_amount: 1, delay_unit: 'weeks' },
      { delay: 'immediately' }
    ])
  })
})

import type { Autoresponder, AutoresponderChanges } from '../../src-main/api/autoresponders/schema.ts'

/** A message of a sequence, and how long after its beginning it is due. */
export interface SequenceStep {
  autoresponder: Autoresponder
  /** In days, rounded down; a month counts as 30. */
  day: number
  /** In minutes. */
  offset: number
  /** What its recipients must have done with the message before it. */
  condition: 'open' | 'nonopen' | null
}

/** The messages that follow one beginning, such as a subscription, in the order in which they are due. */
export interface Sequence {
  trigger: Autoresponder['trigger']
  /** Tells sequences of one trigger apart: the campaign that is opened; null = there is none. */
  campaignId: number | null
  steps: SequenceStep[]
}

const minutesOf = { minutes: 1, hours: 60, days: 1440, weeks: 10_080, months: 43_200 } as const
const minutesPerDay = 1440

/** Returns how long a message waits after what triggers it, in minutes. */
function delayOf({ delay, delay_amount, delay_unit }: Autoresponder): number {
  return delay === 'immediately' || delay_unit === null ? 0 : delay_amount * minutesOf[delay_unit]
}

/** Orders the autoresponders of a list by what begins them, and by when they are due after that. */
export function sequencesOf(all: readonly Autoresponder[]): Sequence[] {
  const byId = new Map(all.map((each) => [each.id, each]))
  const sequences = new Map<string, Sequence>()
  for (const autoresponder of all) {
    const { root, offset } = beginningOf(autoresponder, byId)
    const campaignId = root.trigger === 'campaign_open' ? root.trigger_campaign_to_open_id : null
    const key = `${root.trigger} ${campaignId ?? ''}`
    const sequence = sequences.get(key) ?? { trigger: root.trigger, campaignId, steps: [] }
    sequences.set(key, sequence)
    const { trigger } = autoresponder
    const condition =
      trigger === 'autoresponder_open' ? 'open' : trigger === 'autoresponder_nonopen' ? 'nonopen' : null
    sequence.steps.push({ autoresponder, offset, day: Math.floor(offset / minutesPerDay), condition })
  }
  for (const { steps } of sequences.values()) {
    steps.sort((a, b) => a.offset - b.offset || a.autoresponder.id - b.autoresponder.id)
  }
  return [...sequences.values()].sort((a, b) => order.indexOf(a.trigger) - order.indexOf(b.trigger))
}

const order: readonly Autoresponder['trigger'][] = ['subscription', 'campaign_open', 'api']

/** Follows the autoresponders that trigger one another to the first; in a circle, to where it would begin again. */
function beginningOf(
  autoresponder: Autoresponder,
  byId: ReadonlyMap<number, Autoresponder>
): { root: Autoresponder; offset: number } {
  let root = autoresponder
  let offset = delayOf(autoresponder)
  const seen = new Set([root.id])
  for (;;) {
    const before = root.trigger.startsWith('autoresponder_')
      ? byId.get(root.trigger_autoresponder_to_open_id ?? 0)
      : undefined
    if (!before || seen.has(before.id)) return { root, offset }
    seen.add(before.id)
    root = before
    offset += delayOf(before)
  }
}

/** Two messages of one trigger change places in a sequence by changing their delays. */
export function swappedDelays(
  first: Autoresponder,
  second: Autoresponder
): [AutoresponderChanges, AutoresponderChanges] {
  const delayFrom = ({ delay, delay_amount, delay_unit, delay_time }: Autoresponder) => ({
    ...{ delay, delay_amount, delay_unit, delay_time }
  })
  return [delayFrom(second), delayFrom(first)]
}

/** True if two steps wait for the same, so that they can change places. */
export function canSwap(first: SequenceStep | undefined, second: SequenceStep | undefined): boolean {
  if (!first || !second || first.offset === second.offset) return false
  const [a, b] = [first.autoresponder, second.autoresponder]
  return a.trigger === b.trigger && a.trigger_autoresponder_to_open_id === b.trigger_autoresponder_to_open_id
}

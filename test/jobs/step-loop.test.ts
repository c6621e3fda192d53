import { expect, it, vi } from 'vitest'
import type { Change } from '../../src-main/database/command.ts'
import { StorageFault } from '../../src-main/base/errors.ts'
import { StepLoop } from '../../src-main/jobs/step-loop.ts'
import { printedFaults } from '../support/stderr.ts'

function loopOver(items: number[], fault?: () => Error | undefined) {
  let change: (changes: Change[]) => void = () => undefined
  const done: number[] = []
  const loop = new StepLoop(
    {
      name: 'Counting',
      next: () => Promise.resolve(items.at(0)),
      step: async (item) => {
        await Promise.resolve()
        const error = fault?.()
        if (error) throw error
        done.push(item)
        if (done.filter((each) => each === item).length < item) return true
        items.shift()
        return false
      },
      isMadeBy: ({ entity }) => entity === 'mailing_list'
    },
    { onChanges: (listener) => (change = listener) }
  )
  const changed = (entity: Change['entity']): void =>
    change([{ entity, action: 'update', organizationId: 1, mailingListId: 1, firstId: 1, lastId: 1 }])
  return { loop, done, changed }
}

it('a loop does all steps of one item after the other', async () => {
  const { loop, done } = loopOver([2, 3])
  loop.wake()
  await vi.waitFor(() => expect(done).toEqual([2, 2, 3, 3, 3]))
  await loop.close()
})

it('a change that arrives while a loop is ending still gets its work done', async () => {
  const items: number[] = []
  const { loop, done, changed } = loopOver(items)
  for (let round = 1; round <= 50; round++) {
    items.push(1)
    changed('mailing_list')
    // At each point of its way to the end.
    for (let turn = 0; turn < round % 12; turn++) await Promise.resolve()
  }
  await vi.waitFor(() => expect(done).toHaveLength(50))
  items.push(1)
  changed('campaign')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(done).toHaveLength(50)
  await loop.close()
})

it('a loop tries again what a full disk kept from being written', async () => {
  const faults: (Error | undefined)[] = [new StorageFault('full'), undefined]
  const { loop, done } = loopOver([1], () => faults.shift())
  loop.wake()
  await vi.waitFor(() => expect(done).toEqual([1]))
  await loop.close()
})

it('a loop reports another fault, and continues with the next change', async () => {
  const told = printedFaults()
  const faults: (Error | undefined)[] = [new Error('no such table')]
  const { loop, done, changed } = loopOver([1], () => faults.shift())
  loop.wake()
  await vi.waitFor(() => expect(told).toContain('Counting stopped: no such table\n'))
  expect(done).toEqual([])
  changed('mailing_list')
  await vi.waitFor(() => expect(done).toEqual([1]))
  await loop.close()
})

it('a loop that was closed does no more than the step that was under way', async () => {
  const { loop, done } = loopOver([1000])
  loop.wake()
  await loop.close()
  const steps = done.length
  expect(steps).toBeLessThan(3)
  loop.wake()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(done).toHaveLength(steps)
})

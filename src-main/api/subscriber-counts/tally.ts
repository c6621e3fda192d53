import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { CommandContext } from '../../database/command.ts'
import { preparedOn } from '../../database/connection.ts'
import { recordDay } from './days.ts'

export const idsPerBlock = 1024
/** The migration that created the groups has the same number. */
export const blocksPerGroup = 128

export function blockOf(subscriberId: number): number {
  return Math.floor(subscriberId / idsPerBlock)
}

export function firstIdOfBlock(block: number): number {
  return block * idsPerBlock
}

/**
 * Collects what a command adds to and takes from one list, and brings the counters per status and per block of ids up to
 * date at its end, in the same transaction. Every insert, removal and change of status goes through one.
 */
export class SubscriberTally {
  readonly #mailingListId: number
  readonly #statuses = new Map<SubscriberStatus, number>()
  readonly #blocks = new Map<number, number>()

  constructor(mailingListId: number) {
    this.#mailingListId = mailingListId
  }

  added(id: number, status: SubscriberStatus): void {
    this.#count(status, 1)
    this.#countBlock(id, 1)
  }

  removed(id: number, status: SubscriberStatus): void {
    this.#count(status, -1)
    this.#countBlock(id, -1)
  }

  moved(from: SubscriberStatus, to: SubscriberStatus): void {
    this.#count(from, -1)
    this.#count(to, 1)
  }

  async save(context: CommandContext): Promise<void> {
    const statuses = [...this.#statuses].filter(([, change]) => change !== 0)
    if (statuses.length > 0) await recordDay(context, this.#mailingListId)
    for (const [status, subscribers] of statuses) {
      // The update goes first: with an upsert, SQLite would check the inserted negative number against the
      // CHECK.
      const { changes } = preparedOn(
        context.sqlite,
        'UPDATE mailing_list_counts SET subscribers = subscribers + ? WHERE mailing_list_id = ? AND status = ?'
      ).run(subscribers, this.#mailingListId, status)
      if (changes > 0) continue
      await context.db
        .insertInto('mailing_list_counts')
        .values({ mailing_list_id: this.#mailingListId, status, subscribers })
        .execute()
    }
    this.#saveSums(context, 'subscriber_blocks', 'block', this.#blocks)
    const groups = new Map<number, number>()
    for (const [block, change] of this.#blocks) {
      const group = Math.floor(block / blocksPerGroup)
      groups.set(group, (groups.get(group) ?? 0) + change)
    }
    this.#saveSums(context, 'subscriber_block_groups', 'block_group', groups)
  }

  #saveSums({ sqlite }: CommandContext, table: string, column: string, sums: Map<number, number>): void {
    for (const [number, change] of sums) {
      if (change === 0) continue
      const { changes } = preparedOn(
        sqlite,
        `UPDATE ${table} SET subscribers = subscribers + ? WHERE mailing_list_id = ? AND ${column} = ?`
      ).run(change, this.#mailingListId, number)
      if (changes > 0) continue
      preparedOn(
        sqlite,
        `INSERT INTO ${table} (subscribers, mailing_list_id, ${column}) VALUES (?, ?, ?)`
      ).run(change, this.#mailingListId, number)
    }
  }

  #count(status: SubscriberStatus, change: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + change)
  }

  #countBlock(id: number, change: number): void {
    const block = blockOf(id)
    this.#blocks.set(block, (this.#blocks.get(block) ?? 0) + change)
  }
}

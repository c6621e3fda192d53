import type SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { settingsOf } from '../../src-main/api/subscriber-imports/settings.ts'
import { commands } from '../../src-main/commands.ts'
import {
  type Change,
  type CommandInput,
  type CommandName,
  commandNamed,
  type CommandResult
} from '../../src-main/database/command.ts'
import { kyselyOver, openForWriting } from '../../src-main/database/connection.ts'
import { CommandClient, type CommandReply, type CommandRequest } from '../../src-main/database/writer.ts'
import { ApiError, messageOf, storageFaultOf } from '../../src-main/base/errors.ts'
import { migrate } from '../../src-main/database/migrate.ts'
import { temporaryDirectory } from './application.ts'

/** Commands one by one on a real database, as the writer thread runs them, with a say in where each of them stops. */
export interface CommandBench {
  sqlite: SQLite.Database
  directory: string
  /** The reported changes. */
  told: Change[]
  /**
   * Runs a command in a transaction.
   * @param pauses true if it is asked to pause at each step
   * @param isShared true if others are writing
   * @param clock UNIX milliseconds, if not the time of the command
   * @throws the command's error, after a rollback
   */
  run<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    options?: { pauses?: boolean; isShared?: boolean; failsToCommit?: boolean; clock?: number }
  ): Promise<CommandResult<Name>>
  /** Requests commands like other threads, one after the other. */
  client: CommandClient
  /** Limits the size of the database like a full disk; null = no limit. */
  limitPages(more: number | null): void
}

export async function commandBench(): Promise<CommandBench> {
  const directory = await temporaryDirectory()
  const sqlite = openForWriting(join(directory, 'listwright.db'))
  migrate(sqlite, directory)
  const db = kyselyOver(sqlite)
  onTestFinished(() => void sqlite.close())
  let now = Date.now()
  const told: Change[] = []
  const bench: CommandBench = {
    sqlite,
    directory,
    told,
    get client() {
      return clientOf(bench)
    },
    async run(name, input, { pauses = false, isShared = false, failsToCommit = false, clock } = {}) {
      const command = commandNamed(commands, name).run
      const undos: (() => void)[] = []
      const changes: Change[] = []
      sqlite.exec('BEGIN IMMEDIATE')
      try {
        const result = await command(
          {
            db,
            sqlite,
            // As in the writer thread: another one for each command, also while the clock stands still.
            now: (now = Math.max(Date.now(), now + 1)),
            clock: clock ?? now,
            origin: null,
            record: (change) => void changes.push(change),
            onRollback: (undo) => void undos.push(undo),
            shouldPause: () => Promise.resolve(pauses),
            isShared: () => isShared
          },
          input
        )
        if (failsToCommit) throw new Error('the commit failed')
        sqlite.exec('COMMIT')
        told.push(...changes)
        return result as CommandResult<typeof name>
      } catch (error) {
        if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
        for (const undo of undos) undo()
        throw error
      }
    },
    limitPages(more) {
      const pages = sqlite.pragma('page_count', { simple: true }) as number
      sqlite.pragma(`max_page_count = ${more === null ? 1_000_000 : pages + more}`)
    }
  }
  return bench
}

/** @param before called before each command that is asked for */
export function clientOf(
  bench: CommandBench,
  before: (name: CommandName) => unknown = () => null
): CommandClient {
  const client: CommandClient = new CommandClient({
    postMessage: ({ id, name, input }: CommandRequest) =>
      void Promise.resolve(name)
        .then(before)
        .then(() => bench.run(name, input as CommandInput<typeof name>))
        .then(
          (result) => client.settle({ id, result }),
          (error: unknown) => client.settle(refusalOf(id, error))
        )
  })
  return client
}

function refusalOf(id: number, error: unknown): CommandReply {
  const storage = storageFaultOf(error)
  if (storage) return { id, storage: storage.kind }
  if (!(error instanceof ApiError)) return { id, failed: messageOf(error) }
  const { code, refusals, data } = error
  return { id, refused: { code, refusals, data } }
}

export function plainImport(mailingListId: number): CommandInput<'subscriberImports.create'> {
  return {
    organizationId: 1,
    mailingListId,
    settings: settingsOf({
      overwrite: false,
      overwrite_what: {
        custom_fields: true,
        confirmed: false,
        format: false,
        status: false,
        autoresponder: false
      },
      overwrite_when_status: {
        active: true,
        unsubscribed: false,
        bounced: false,
        deactivated: false,
        scomp: false
      },
      column_mapping: ['email'],
      default_custom_fields: {},
      subscriber_defaults: { status: 'active' },
      file_format: {
        csv_has_headers: false,
        character_set: 'UTF-8',
        csv_field_separator: ',',
        csv_field_enclosure: '"',
        date_format: 'mdy'
      }
    }),
    reading: null,
    autoresponders: {},
    source: { type: 'json', filename: 'data', path: 'none', url: null },
    beginsAt: null,
    corrects: null
  }
}

/** Mutants that no test can or should notice, and why. */
export const accepted: {
  file: string
  line?: string
  original: string
  replacement: string
  reason: string
}[] = [
  {
    file: 'src-main/database/checkpointer.ts',
    line: 'dueWhenSlow && performance.now()',
    original: '&&',
    replacement: '||',
    reason: 'when the log is copied into the database decides how long that takes, not what is in it'
  },
  {
    file: 'src-main/database/connection.ts',
    original: "setDurability(database, 'FULL')",
    replacement: ';',
    reason: 'FULL is what this build of SQLite does by itself; a test holds it whichever way'
  },
  {
    file: 'src-main/imports/key-order.ts',
    line: 'end - start > maxRun',
    original: '>',
    replacement: '>=',
    reason: 'a run of exactly sixteen rows may be in order or not'
  },
  {
    file: 'src-main/imports/key-order.ts',
    original: 'halves[2 * place + lowHalf] ?? 0',
    replacement: 'halves[2 * place + lowHalf]',
    reason: 'a place that is there has a number; the 0 is for the compiler'
  },
  {
    file: 'src-main/imports/dry-run-batch.ts',
    original: 'this.#keys.close()',
    replacement: ';',
    reason: 'the thread of a dry run ends after it, and its database in memory with it'
  },
  {
    file: 'src-main/api/custom-fields/rules.ts',
    original: 'meaning === undefined',
    replacement: 'false',
    reason: 'undefined is left out where the values are written as JSON'
  },
  {
    file: 'src-main/api/mailing-lists/rules.ts',
    original: 'changes.name?.trim() ?? before.name',
    replacement: 'changes.name?.trim()',
    reason: 'a column whose value is undefined is left as it is'
  },
  {
    file: 'src-main/api/statistics/counting.ts',
    original: 'linkId ?? 0',
    replacement: 'linkId',
    reason: 'the condition before it leaves undefined out; the 0 is for the compiler'
  },
  {
    file: 'src-main/api/statistics/queries.ts',
    original: "bounce_code ?? ''",
    replacement: 'bounce_code',
    reason: 'the query leaves null out; the empty string is for the compiler'
  },
  {
    file: 'src-main/imports/packed-rows.ts',
    original: 'this.#blockOfRow[row] ?? 0',
    replacement: 'this.#blockOfRow[row]',
    reason: 'a row that is there has a block; the 0 is for the compiler'
  },
  {
    file: 'src-main/segments/segment-reader.ts',
    original: 'false',
    replacement: 'true',
    reason: 'each question is counted again, which gives the same answer and takes longer'
  },
  {
    file: 'src-main/delivery/delivery.ts',
    line: 'early > maxPause',
    original: '>',
    replacement: '>=',
    reason: 'a pause of exactly ten seconds may be waited out with or without a thread'
  },
  {
    file: 'src-main/imports/row-pipeline.ts',
    line: "=== 'file' ? first",
    original: '===',
    replacement: '!==',
    reason:
      'parts of another size are cut at the same places by each run, and hold the same rows; they cost time or memory'
  },
  {
    file: 'src-main/database/checkpointer.ts',
    line: '- this.#began > slowly',
    original: '-',
    replacement: '+',
    reason: 'the log is copied earlier, which costs time and loses nothing'
  },
  {
    file: 'src-main/base/times.ts',
    original: 'offsets.set(day, first === last ? first : undefined)',
    replacement: ';',
    reason: 'what is not remembered is worked out again, which takes longer'
  },
  {
    file: 'src-main/database/command-loop.ts',
    original: 'await messagesIn()',
    replacement: ';',
    reason: 'a command that arrives meanwhile waits for the end of the open group, which is bounded anyway'
  },
  {
    file: 'src-main/api/accounts/authentication.ts',
    original: 'socket.localPort ?? 0',
    replacement: 'socket.localPort',
    reason: 'a connection that a request came over has a port; the 0 is for the compiler'
  },
  {
    file: 'src-main/api/subscriber-counts/queries.ts',
    original: 'row.total ?? 0',
    replacement: 'row.total',
    reason: 'null is 0 where numbers are added and compared, and that is all that is done with it'
  },
  {
    file: 'src-main/api/users/commands.ts',
    line: "role === 'system_admin' && active === 1",
    original: '&&',
    replacement: '||',
    reason:
      'whether another one is left is then asked for others too, and there always is: the one that must not go'
  },
  {
    file: 'src-main/database/command-loop.ts',
    line: 'if (failure)',
    original: 'failure',
    replacement: 'false',
    reason:
      'BEGIN fails on a locked database, which is waited for, and else on a broken disk, which no test has'
  },
  {
    file: 'src-main/imports/key-order.ts',
    original: 'before[(halves[2 * place + lowHalf] ?? 0) & 0xffffff] ?? 0',
    replacement: 'before[(halves[2 * place + lowHalf] ?? 0) & 0xffffff]',
    reason: 'a place that is there has a row; the 0 is for the compiler'
  },
  {
    file: 'src-main/delivery/message.ts',
    line: 'if (known)',
    original: 'known',
    replacement: 'false',
    reason: 'a content that is compiled again reads the same, and takes longer'
  },
  {
    file: 'src-main/imports/row-pipeline.ts',
    line: 'before.outcomes.length < before.rows',
    original: '<',
    replacement: '<=',
    reason: 'a batch that was written whole is waited for as well then, which takes longer'
  },
  {
    file: 'src-main/imports/commands.ts',
    original: 'context.onRollback(() => sessions.delete(id))',
    replacement: ';',
    reason: 'an import that could not begin leaves a session, which its next beginning replaces'
  },
  {
    file: 'src-main/database/connection.ts',
    original: '!isMainThread',
    replacement: 'false',
    reason: 'a thread that is ended while it loads takes the process with it: once in thousands of ends'
  },
  {
    file: 'src-main/database/instance-lock.ts',
    line: 'rmSync(path, { force: true })',
    original: 'true',
    replacement: 'false',
    reason: 'the file is there unless somebody takes it away in that moment'
  },
  {
    file: 'src-main/delivery/delivery.ts',
    original: 'rows.at(-1)?.id ?? afterId',
    replacement: 'rows.at(-1)?.id',
    reason: 'what is undefined is left out of an UPDATE, so the position stays where it is'
  },
  {
    file: 'src-main/segments/segment-reader.ts',
    line: 'this.#counts.size > maxKept && oldest',
    original: '!==',
    replacement: '===',
    reason: 'counts that are kept longer answer the same, and take memory'
  },
  {
    file: 'src-main/imports/row-pipeline.ts',
    original: 'row % rowsPerFlush === 0',
    replacement: 'false',
    reason: 'logs that are written at the end of a part are the same, and take memory'
  },
  {
    file: 'src-main/imports/row-packer.ts',
    original: "cells[row * width + 1] ?? ''",
    replacement: 'cells[row * width + 1]',
    reason: 'a row has all of its cells; the text is for the compiler'
  },
  {
    file: 'src-main/delivery/replacement.ts',
    original: 'entities[character] ?? character',
    replacement: 'entities[character]',
    reason: 'only characters are looked for that have an entity; the rest is for the compiler'
  },
  {
    file: 'src-main/bulk-actions/commands.ts',
    line: 'if (isAll) break',
    original: 'isAll',
    replacement: 'false',
    reason: 'to do something to nobody does nothing'
  },
  {
    file: 'src-main/segments/selection.ts',
    line: 'start < ids.length',
    original: '<',
    replacement: '<=',
    reason: 'to count nobody adds nothing'
  },
  {
    file: 'src-main/imports/dry-run-thread.ts',
    original: 'batches.close()',
    replacement: ';',
    reason: 'the thread of a dry run ends after it, and what it has open with it'
  },
  {
    file: 'src-main/delivery/delivery-thread.ts',
    original: 'await reader.destroy()',
    replacement: ';',
    reason: 'a connection that stays open answers the same, and takes memory until the thread ends'
  },
  {
    file: 'src-main/api/mailing-lists/rules.ts',
    original: 'changes.d_speed ?? before.d_speed',
    replacement: 'changes.d_speed',
    reason: 'what is undefined is left out of an UPDATE, so the column keeps what it has'
  },
  {
    file: 'src-main/imports/key-order.ts',
    line: '+ lowHalf',
    original: '+',
    replacement: '-',
    reason: 'the lower half comes first on all machines that there are packages for: lowHalf is 0'
  },
  {
    file: 'src-main/imports/key-order.ts',
    line: '1 - lowHalf',
    original: '-',
    replacement: '+',
    reason: 'the lower half comes first on all machines that there are packages for: lowHalf is 0'
  },
  {
    file: 'src-main/imports/key-order.ts',
    line: 'place < rows.length',
    original: '<',
    replacement: '<=',
    reason: 'a typed array has no place behind its end, and what is written there goes nowhere'
  },
  {
    file: 'src-main/base/times.ts',
    original: 'formatters.set(timeZone, formatter)',
    replacement: ';',
    reason: 'what is not remembered is made again, which takes longer'
  },
  {
    file: 'src-main/base/times.ts',
    original: 'offsetsOfDays.set(timeZone, offsets)',
    replacement: ';',
    reason: 'what is not remembered is worked out again, which takes longer'
  },
  {
    file: 'src-main/base/times.ts',
    line: 'offsets.size >= daysRemembered',
    original: '>=',
    replacement: '>',
    reason: 'a day more that is remembered answers the same'
  },
  {
    file: 'src-main/base/times.ts',
    line: "if (timeZone === 'UTC') return 0",
    original: "timeZone === 'UTC'",
    replacement: 'false',
    reason: 'Intl says of UTC that it is 0 minutes ahead, which takes longer'
  },
  {
    file: 'src-main/segments/segment-reader.ts',
    original: 'this.#counts.delete(key)',
    replacement: ';',
    reason: 'which counts are forgotten first decides how long an answer takes'
  },
  {
    file: 'src-main/segments/selection.ts',
    original: 'signal.throwIfAborted()',
    replacement: ';',
    reason: 'nobody waits for the answer any more; it takes longer until the next one'
  },
  {
    file: 'src-main/contact-files/formats/unpack.ts',
    original: 'written > maxUnpackedBytes',
    replacement: 'false',
    reason: 'a test would have to unpack 20 GB'
  },
  {
    file: 'src-main/salvage/salvage.ts',
    original: "database.pragma('journal_mode = MEMORY')",
    replacement: ';',
    reason: 'how the new database is written decides how long that takes, not what is in it'
  },
  {
    file: 'src-main/database/noted-checkpoint.ts',
    line: 'last.note(',
    original: 'true',
    replacement: 'false',
    reason: 'whether a note is on the disk shows only when the power fails'
  },
  {
    file: 'src-main/database/connection.ts',
    original: "database.pragma('foreign_keys = ON')",
    replacement: ';',
    reason:
      'this build of SQLite enforces foreign keys by default; a test checks that they are enforced either way'
  },
  {
    file: 'src-main/bulk-actions/kinds/copy.ts',
    line: 'nextId > firstId',
    original: '>',
    replacement: '>=',
    reason: 'noting that no id was used writes the value that is there already'
  },
  {
    file: 'src-main/imports/import-batch.ts',
    line: 'mostlyKnown: false',
    original: 'false',
    replacement: 'true',
    reason:
      'whether the first rows are looked up before they are added decides how long that takes, and which ids are left out'
  },
  {
    file: 'src-main/database/migrate.ts',
    original: 'syncFileSync(partial)',
    replacement: ';',
    reason: 'whether a copy is on the disk before it has its name shows only when the power fails'
  },
  {
    file: 'src-main/database/checkpointer.ts',
    line: 'this.#lastCopies >= maxLastCopies',
    original: '>=',
    replacement: '>',
    reason: 'after how many copies the writer makes the last one itself decides how long that takes'
  },
  {
    file: 'src-main/segments/pieces.ts',
    line: 'pieceTime / took',
    original: '/',
    replacement: '*',
    reason: 'how large a piece is decides how long other questions wait, not what is found'
  },
  {
    file: 'src-main/segments/pieces.ts',
    original: 'await nextTurn()',
    replacement: ';',
    reason: 'other questions are answered later, and the same is found'
  },
  {
    file: 'src-main/database/checkpoint-thread.ts',
    line: 'log > 0 &&',
    original: '&&',
    replacement: '||',
    reason: 'whether the disk has a copy before the log starts over shows only when the power fails'
  },
  {
    file: 'src-main/delivery/preview-thread.ts',
    original: 'await reader.destroy()',
    replacement: ';',
    reason: 'the thread ends after it, and its connection with it'
  },
  {
    file: 'src-main/base/dates.ts',
    line: 'value * 10 + digit',
    original: '+',
    replacement: '-',
    reason: 'a plain date that is not read here is read by the patterns, which takes longer'
  },
  {
    file: 'src-main/database/noted-checkpoint.ts',
    original: "this.#guard.prepare('SELECT 1 FROM sqlite_schema').get()",
    replacement: ';',
    reason: 'the log is held for what somebody writes while it is copied, within milliseconds'
  },
  {
    file: 'src-main/api/segments/describe.ts',
    line: 'from !== undefined && to !== undefined',
    original: '&&',
    replacement: '||',
    reason: 'a condition has both ends or neither; the second is for the compiler'
  },
  {
    file: 'src-main/imports/import-thread.ts',
    original: 'logs.close()',
    replacement: ';',
    reason: 'the logs were written with each part; that they are on the disk shows only when the power fails'
  },
  {
    file: 'src-main/imports/dry-run-thread.ts',
    original: 'logs.close()',
    replacement: ';',
    reason: 'the logs were written with each part, and the thread ends after it'
  },
  {
    file: 'src-main/delivery/delivery.ts',
    line: 'sum + bytes.length',
    original: '+',
    replacement: '-',
    reason: 'how many messages are made at once decides how much memory they take'
  },
  {
    file: 'src-main/database/command-loop.ts',
    line: 'this.#waitedFor.length > 0 || performance.now() - this.#groupBegan',
    original: '||',
    replacement: '&&',
    reason: 'a command that somebody waits for goes first in any case, after the end of the open group'
  },
  {
    file: 'src-main/salvage/source.ts',
    original: "key?.name ?? ''",
    replacement: 'key?.name',
    reason: 'a table in the order of a key has one; the text is for the compiler'
  },
  {
    file: 'src-main/delivery/markup.ts',
    line: 'end > start; end--',
    original: '>',
    replacement: '>=',
    reason: 'an address begins with a letter, where what is taken for punctuation ends at the latest'
  },
  {
    file: 'src-main/database/checkpoint-thread.ts',
    line: "'damaged'",
    original: '===',
    replacement: '!==',
    reason: 'a copy reads nothing but the first page, which the log itself mostly has'
  }
]

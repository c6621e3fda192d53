import { parentPort } from 'node:worker_threads'
import { answerQuestions } from '../base/asked-thread.ts'
import { threadData } from '../base/threads.ts'
import { subscriberGrowth } from '../api/subscriber-counts/days.ts'
import { segmentMembers } from '../api/segments/queries.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { countSegment } from './count.ts'
import { chosenIds, subscribersByIds } from './chosen.ts'
import { domainsOfList } from './domains.ts'
import { findSelection } from './selection.ts'
import { KeptChoices } from './kept-choices.ts'
import { SecondScanner } from './second-scanner.ts'
import { searchEverything } from './search.ts'
import type { ChoicePage, SegmentQuestion } from './segment-reader.ts'
import { dependenciesOf } from '../api/custom-fields/dependency-queries.ts'
import { isInUse } from '../api/custom-fields/values-in-use.ts'

// Reads segments on a connection of its own: to find their members may mean to look at every subscriber of a list.

const database = openForReading(threadData() as string)
const reader = kyselyOver(database)
// An ORDER BY of a whole list sorts on a second core.
database.pragma('threads = 2')
const scanner = new SecondScanner((wanted) => parentPort?.postMessage(wanted, [wanted.scannerPort]))
const connection = { database, db: reader, scanner }
const choices = new KeptChoices((choice, signal) => chosenIds(connection, choice, signal))

answerQuestions(valueOf)

function valueOf(question: SegmentQuestion, signal: AbortSignal): Promise<unknown> {
  switch (question.ask) {
    case 'count':
      return countSegment(reader, question.scope)
    case 'page':
      return segmentMembers(reader, question.scope, question.page)
    case 'choice':
      return choicePage(question, signal)
    case 'selection':
      return findSelection(connection, question.choice, question.narrowing, signal)
    case 'domains':
      return domainsOfList(database, reader, question.mailingListId, signal)
    case 'growth':
      return subscriberGrowth(reader, question.organization, question.now)
    case 'search':
      return searchEverything(reader, question.sought)
    case 'dependencies':
      return dependenciesOf(reader, question.field, null)
    case 'use':
      return isInUse(reader, question.mailingListIds, question.fieldId, question.values)
  }
}

async function choicePage(
  { choice, position, limit }: Extract<SegmentQuestion, { ask: 'choice' }>,
  signal: AbortSignal
): Promise<ChoicePage> {
  // A number that changes with each commit of the writer.
  const version = Number(database.pragma('data_version', { simple: true }))
  const { ids, isStale } = await choices.idsOf(choice, version, signal)
  const shown = Array.from(ids.subarray(position, position + limit))
  return { rows: await subscribersByIds(reader, shown), total: ids.length, isStale }
}

import { answerQuestions } from '../base/asked-thread.ts'
import { threadData } from '../base/threads.ts'
import { segmentMembers } from '../api/segments/queries.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { countSegment } from './count.ts'
import type { SegmentQuestion } from './segment-reader.ts'
import { dependenciesOf } from '../api/custom-fields/dependency-queries.ts'
import { isInUse } from '../api/custom-fields/values-in-use.ts'

// Reads segments on a connection of its own: to find their members may mean to look at every subscriber of a list.

const reader = kyselyOver(openForReading(threadData() as string))

answerQuestions(valueOf)

function valueOf(question: SegmentQuestion): Promise<unknown> {
  switch (question.ask) {
    case 'count':
      return countSegment(reader, question.scope)
    case 'page':
      return segmentMembers(reader, question.scope, question.page)
    case 'dependencies':
      return dependenciesOf(reader, question.field, null)
    case 'use':
      return isInUse(reader, question.mailingListIds, question.fieldId, question.values)
  }
}

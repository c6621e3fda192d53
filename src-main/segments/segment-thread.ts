import { parentPort, workerData } from 'node:worker_threads'
import { segmentMembers } from '../api/segments/queries.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { messageOf } from '../errors.ts'
import { countSegment } from './count.ts'
import type { SegmentAnswer, SegmentQuestion } from './segment-reader.ts'

// Reads segments on a connection of its own: to find their members may mean to look at every subscriber of a list.

const reader = kyselyOver(openForReading(workerData as string))

parentPort?.on('message', (question: SegmentQuestion) => {
  void answer(question).then((reply) => parentPort?.postMessage(reply))
})

async function answer(question: SegmentQuestion): Promise<SegmentAnswer> {
  const { id, scope } = question
  try {
    const value =
      question.ask === 'count'
        ? await countSegment(reader, scope)
        : await segmentMembers(reader, scope, question.page)
    return { id, value }
  } catch (error) {
    return { id, fault: messageOf(error) }
  }
}

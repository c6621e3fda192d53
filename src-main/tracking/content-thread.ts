import { answerQuestions } from '../base/asked-thread.ts'
import { threadData } from '../base/threads.ts'
import { kyselyOver, openForReading } from '../database/connection.ts'
import { linkOfMessage, messageOf } from './queries.ts'
import { writePreview } from '../delivery/content-preview.ts'
import type { ContentQuestion } from './content-writer.ts'

// Renders contents one at a time, on a database connection of its own.

const reader = kyselyOver(openForReading(threadData() as string))

answerQuestions(async (question: ContentQuestion) => {
  switch (question.ask) {
    case 'preview':
      return writePreview(question.task)
    case 'message':
      return messageOf(reader, question.named, question.linkBase)
    case 'link':
      return linkOfMessage(reader, question.named, question.url, question.linkBase)
  }
})

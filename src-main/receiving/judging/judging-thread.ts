import { answerQuestions } from '../../base/asked-thread.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import type { JudgedOrganization } from './judge.ts'
import { judgeAgain } from './judgement.ts'

// Reads the stored reports of an organization again.

answerQuestions(async ({ databasePath, organizationId }: JudgedOrganization) => {
  const reader = kyselyOver(openForReading(databasePath))
  try {
    return await judgeAgain(reader, organizationId)
  } finally {
    await reader.destroy()
  }
})

import { answerDatabaseQuestion } from './ask-once.ts'
import { testDatabase } from './test-database.ts'

// Tests one connection.
answerDatabaseQuestion(testDatabase)

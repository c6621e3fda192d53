import { answerAbout } from './ask-once.ts'
import { testDatabase } from './test-database.ts'

// Tests one connection.
answerAbout(testDatabase)

import { answerDatabaseQuestion } from '../../remote-databases/ask-once.ts'
import { writeRows } from './write-rows.ts'

// Writes the rows of one query into a file, or checks it.
answerDatabaseQuestion(writeRows)

import { answerDatabaseQuestion } from '../remote-databases/ask-once.ts'
import { fillSpool } from './fill-spool.ts'

// Reads the recipients of one campaign into a file.
answerDatabaseQuestion(fillSpool)

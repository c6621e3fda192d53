import { answerDatabaseQuestion } from '../remote-databases/ask-once.ts'
import { tryQuery } from './query.ts'

// Tries one query.
answerDatabaseQuestion(tryQuery)

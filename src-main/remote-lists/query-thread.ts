import { answerAbout } from '../remote-databases/ask-once.ts'
import { tryQuery } from './query.ts'

// Tries one query.
answerAbout(tryQuery)

import { answerQuestions } from '../base/asked-thread.ts'
import { answerOn } from './answer.ts'

answerQuestions(answerOn)

import { answerQuestions } from '../base/asked-thread.ts'
import { readReceived } from './read-received.ts'

// Reads received messages, one at a time.

answerQuestions((raw: Uint8Array) => readReceived(Buffer.from(raw)))

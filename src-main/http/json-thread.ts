import { parentPort } from 'node:worker_threads'
import { threadData } from '../base/threads.ts'
import { type BodyRules, parseFrom, type ReadBody, type RefusedBody } from './json-body.ts'

// Parses one large request body, and checks one that has very many values; see json-body.ts.

const rules = threadData() as BodyRules

if (parentPort) parseFrom(parentPort, rules, check)

async function check(body: ReadBody): Promise<ReadBody | RefusedBody> {
  // Loading the validation library takes a while, and most bodies are validated elsewhere.
  const { checkBody } = await import('./validation.ts')
  const checked = checkBody(rules.schema, body.value)
  return 'refusals' in checked
    ? { refusals: checked.refusals, kind: checked.isRequest ? 'request' : 'value' }
    : { ...body, value: checked.value, isChecked: true }
}

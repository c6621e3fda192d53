import { parseArgs } from 'node:util'
import { basicAuthorization } from '../../src-main/base/basic-authorization.ts'
import { createApp } from '../support/built.ts'

// The application as a process of its own, which tries again after moments instead of hours.

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    'data-dir': { type: 'string', default: '' },
    port: { type: 'string' },
    json: { type: 'boolean' }
  }
})
const app = await createApp({
  dataDirectory: values['data-dir'],
  port: 0,
  retrySchedule: {
    pauses: [100],
    triedFor: 100_000,
    serverPauses: [50, 200],
    domainPauses: [100, 400],
    readingPauses: [100, 200]
  },
  writeBackSchedule: { delay: 0, pauses: [100] }
})
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)))
const api_key = await app.createPassingApiKey('torture')
const ready = {
  base_url: app.baseUrl,
  organization_id: app.organizationId,
  api_key,
  authorization: basicAuthorization(app.organizationId, api_key),
  data_dir: app.dataDirectory
}
process.stdout.write(`${JSON.stringify(ready)}\n`)

import { stat, statfs } from 'node:fs/promises'
import { readStoredRefusal, type StoredRefusal } from '../../base/stored-refusal.ts'
import { hasAccess } from '../../http/access.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { listFailingSchedules } from '../../imports/schedules/queries.ts'
import { listFailingWriteBacks } from '../../write-back/queries.ts'
import { type DatabaseFault, homeEndpoints } from './endpoints.ts'
import { databasePathIn } from '../../database/database-path.ts'

/** Free space below this counts as low, whatever the size of the database. In bytes: an import of a million rows takes about half of it. */
const littleSpace = 1_000_000_000

export const homeRoutes = serveEndpoints(homeEndpoints, ({ reader, segments, dataDirectory }) => ({
  'GET /subscriber_growth': async ({ caller }) => {
    const organization = { id: caller.organizationId, timeZone: caller.timeZone }
    return ok(await segments.growth(organization, Date.now()))
  },

  'GET /database_faults': async ({ caller }) => {
    const { organizationId } = caller
    const writeBacks = await listFailingWriteBacks(reader, organizationId)
    const mayImport = hasAccess(caller, 'subscriber.import')
    const schedules = mayImport ? await listFailingSchedules(reader, organizationId) : []
    return ok([
      ...writeBacks.map((row) => presentFault('write_back', row)),
      ...schedules.map((row) => presentFault('import_schedule', row))
    ])
  },

  'GET /disk_space': async () => {
    const { bavail, bsize } = await statfs(dataDirectory)
    const { size } = await stat(databasePathIn(dataDirectory))
    const free = bavail * bsize
    // An update makes a copy of the database first.
    return ok({ free, is_low: free < Math.max(littleSpace, size) })
  }
}))

interface FailingWork {
  id: number
  mailing_list_id: number
  mailing_list_name: string
  fault: StoredRefusal
}

function presentFault(
  work: DatabaseFault['work'],
  { id, mailing_list_id, mailing_list_name, fault }: FailingWork
): DatabaseFault {
  const mailing_list = { id: mailing_list_id, name: mailing_list_name }
  return { work, id, mailing_list, fault: readStoredRefusal(fault).fault }
}

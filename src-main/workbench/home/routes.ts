import { stat, statfs } from 'node:fs/promises'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { homeEndpoints } from './endpoints.ts'
import { databasePathIn } from '../../database/database-path.ts'

/** Free space below this counts as low, whatever the size of the database. In bytes: an import of a million rows takes about half of it. */
const littleSpace = 1_000_000_000

export const homeRoutes = serveEndpoints(homeEndpoints, ({ segments, dataDirectory }) => ({
  'GET /subscriber_growth': async ({ caller }) => {
    const organization = { id: caller.organizationId, timeZone: caller.timeZone }
    return ok(await segments.growth(organization, Date.now()))
  },

  'GET /disk_space': async () => {
    const { bavail, bsize } = await statfs(dataDirectory)
    const { size } = await stat(databasePathIn(dataDirectory))
    const free = bavail * bsize
    // An update makes a copy of the database first.
    return ok({ free, is_low: free < Math.max(littleSpace, size) })
  }
}))

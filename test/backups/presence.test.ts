import SQLite from 'better-sqlite3'
import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startApplication } from '../support/application.ts'
import { makeList } from '../support/builders.ts'

it.each(['missing', 'empty'])(
  'a database that is %s where there was one is not treated as a first start: the remedies are named, and nothing is created',
  async (how) => {
    const { app, api, dataDirectory } = await startApplication()
    await makeList(api)
    const { data } = await api.workbench<{ name: string }>('POST', '/backups')
    await app.close()
    const path = join(dataDirectory, 'listwright.db')
    if (how === 'missing') rmSync(path)
    else truncateSync(path)
    await expect(startApplication(dataDirectory)).rejects.toThrow(
      new RegExp(
        `is ${how}, although Listwright has stored data there before.*listwright backup restore ${data.name}`
      )
    )
    await expect(startApplication(dataDirectory)).rejects.toThrow(/To start over, choose another folder/)
    rmSync(join(dataDirectory, '.listwright'))
    const anew = await startApplication(dataDirectory)
    expect((await anew.api.get('/mailing_lists')).data).toEqual([])
  }
)

it("a database with another program's mark is left as it is", async () => {
  const { app, dataDirectory } = await startApplication()
  await app.close()
  const database = new SQLite(join(dataDirectory, 'listwright.db'))
  expect(database.pragma('application_id', { simple: true })).toBe(0x4c697374)
  database.pragma('application_id = 7')
  database.close()
  await expect(startApplication(dataDirectory)).rejects.toThrow(/is another program's database/)
})

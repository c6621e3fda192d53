import { expect, it } from 'vitest'
import { compiledQuery } from '../../src-main/database/compiled-query.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { commandBench } from '../support/commands.ts'

it('a compiled query is built once, and gets the values of each run', async () => {
  const db = kyselyOver((await commandBench()).sqlite)
  let builds = 0
  const insert = compiledQuery<{ name: string; value: string | null }, unknown>((on, value) =>
    on.insertInto('settings').values({ name: value('name'), value: value('value') as string })
  )
  const find = compiledQuery<{ name: string }, { value: string }>((on, value) => {
    builds++
    return on.selectFrom('settings').select('value').where('name', '=', value('name')).limit(5)
  })

  await insert(db, { name: 'a', value: '1' })
  await insert(db, { name: 'b', value: "it's %%2%%" })

  expect(await find(db, { name: 'a' })).toEqual([{ value: '1' }])
  expect(await find(db, { name: 'b' })).toEqual([{ value: "it's %%2%%" }])
  expect(await find(db, { name: 'c' })).toEqual([])
  expect(builds).toBe(1)
  await expect(insert(db, { name: 'd', value: null })).rejects.toThrow('NOT NULL')
})

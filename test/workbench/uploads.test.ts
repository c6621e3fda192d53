import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'

const started = sharedApplication()

it('files that are uploaded at the same time under one name get names of their own', async () => {
  const contents = Array.from({ length: 12 }, (_, number) => `email\np${number}@example.com\n`)
  const names = await Promise.all(
    contents.map(async (body) => {
      const response = await started.api.raw('/app/v1/uploads/people.csv', { method: 'PUT', body })
      return ((await response.json()) as { data: { filename: string } }).data.filename
    })
  )
  const directory = join(started.dataDirectory, 'uploads')
  expect((await readdir(directory)).toSorted()).toEqual(names.toSorted())
  const kept = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
  expect(kept).toEqual(contents)
})

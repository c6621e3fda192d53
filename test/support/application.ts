import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Application, ApplicationOptions } from '../../src-main/app.ts'
import { createApp } from './built.ts'
import { Client } from './client.ts'

/** An application on a data directory of its own, and a program that uses it. */
export interface StartedApplication {
  app: Application
  api: Client
  dataDirectory: string
}

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'listwright-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Starts an application that ends with the test. */
export async function startApplication(
  dataDirectory?: string,
  options: Partial<ApplicationOptions> = {}
): Promise<StartedApplication> {
  const directory = dataDirectory ?? (await temporaryDirectory())
  const started = await start(directory, options)
  onTestFinished(() => started.app.close())
  return started
}

/** One application for all tests of a file; each test creates its own lists. */
export function sharedApplication(options: Partial<ApplicationOptions> = {}): StartedApplication {
  const shared = {} as StartedApplication
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'listwright-test-'))
    Object.assign(shared, await start(directory, options))
  })
  afterAll(async () => {
    await shared.app.close()
    await rm(shared.dataDirectory, { recursive: true, force: true })
  })
  return shared
}

const passwordCost = { N: 16, r: 8, p: 1 }

async function start(
  dataDirectory: string,
  options: Partial<ApplicationOptions> = {}
): Promise<StartedApplication> {
  const app = await createApp({ dataDirectory, port: 0, passwordCost, ...options })
  return { app, api: await clientOf(app), dataDirectory }
}

/** A program with a key of its own. */
export async function clientOf(app: Application): Promise<Client> {
  const key = await app.createApiKey('test')
  return new Client(app.baseUrl, basic(`${app.organizationId}:${key}`))
}

export function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { ApiError, internalError, refusalOf } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { databasePathIn } from '../../database/database-path.ts'
import type { Schema } from '../../database/schema.ts'
import { gateRefusal, putImages } from '../../delivery/hand-over.ts'
import { GateClient, GateUnavailable } from '../../gates/client.ts'
import { digestOfSecret, gateSecretOf, pageKeyOf, sealText } from '../../gates/keys.ts'
import type { GateContent, GateEvent, GateStatus, SealedForm } from '../../gates/protocol.ts'
import {
  contentKeysOfGate,
  contentOfGate,
  gateOf,
  newContentKeysOfGate,
  organizationOfGate,
  positionOf
} from '../../gates/queries.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import { type RunningJob, runJobs } from '../../jobs/run-job.ts'
import { signingSecret } from '../../settings/queries.ts'
import { isSignUpContent, signUpContentKey } from '../../api/web-forms/sign-up-address.ts'
import {
  faultySignUpPage,
  rulesOf,
  signedUpPage,
  type SignUpForm,
  signUpFormOf,
  signUpPage
} from '../../api/web-forms/sign-up-page.ts'
import { signUpFormsOf } from '../../api/web-forms/queries.ts'
import type { Language } from '../../base/languages.ts'
import { type PublicPage, renderPage } from '../../public-pages/render.ts'
import { publicPage } from '../../public-pages/texts.ts'
import type { PolledData } from '../../jobs/polled-jobs.ts'

// Fetches what visitors did from one gate, and hands over to it what it has lost.

/** Events that are applied in one transaction. */
const appliedAtOnce = 100

runJobs(fetchFromGate, {
  onStorageFault: (fault) => ({ is: 'held', fault }),
  describe: (error) => internalError('Fetching from a gate', error)
})

type FetchJob = RunningJob<PolledData>

async function fetchFromGate(job: FetchJob): Promise<JobOutcome> {
  await job.client.run('gateFetches.begin', { id: job.id })
  const reader = kyselyOver(openForReading(databasePathIn(job.dataDirectory)))
  try {
    const gate = await gateOf(reader, job.id)
    if (!gate) return { is: 'stopped' }
    const { address } = gate
    if (job.data.secret === null) return { is: 'held', fault: refusal('gate_no_key', { address }) }
    const api = new GateClient(address, job.data.secret, job.signal)
    try {
      const status = await api.status()
      const clockOffset = Date.now() - status.now
      await requireOwn(job, reader, api, status)
      // First: an earlier version of a gate, which refuses the pages of forms, still gives its events.
      for (const epoch of status.epochs) {
        const refused = await applyEpoch(job, reader, api, { ...epoch, clockOffset })
        if (refused) return { is: 'failed', fault: refused }
      }
      await handOverLost(job, reader, api, { status, state: gate.state })
      await storeSignUpForms(job, reader)
      await handOverNew(job, reader, api)
      return { is: 'finished' }
    } catch (error) {
      if (job.signal.aborted) return { is: 'stopped' }
      if (!(error instanceof GateUnavailable)) throw error
      return { is: 'failed', fault: gateRefusal(address, error) }
    }
  } finally {
    await reader.destroy()
  }
}

/** @throws GateUnavailable for a gate of another organization or installation, whose events are left to that one */
async function requireOwn(
  { id }: FetchJob,
  reader: Kysely<Schema>,
  api: GateClient,
  { secret_digest }: GateStatus
): Promise<void> {
  const secret = gateSecretOf(await signingSecret(reader), await organizationOfGate(reader, id))
  if (secret_digest !== null && secret_digest !== digestOfSecret(secret)) await api.giveSecret(secret)
}

/** Hands over what the gate does not have: it may be new, or have been restored from a copy. */
async function handOverLost(
  { id, client }: FetchJob,
  reader: Kysely<Schema>,
  api: GateClient,
  { status, state }: { status: GateStatus; state: string | null }
): Promise<void> {
  const secret = gateSecretOf(await signingSecret(reader), await organizationOfGate(reader, id))
  if (status.secret_digest === digestOfSecret(secret) && status.state === state) return
  await api.giveSecret(secret)
  const there = await api.contents()
  const images = new Set(there.images)
  for (const key of await contentKeysOfGate(reader, id)) {
    await handOverContent({ id, client }, reader, api, { key, digest: there.contents[key], images })
  }
  const { state: now } = await api.status()
  await client.run('gateFetches.recordState', { id, state: now })
}

/** Stores the pages of forms as the gate is to have them. Those that are gone say so. */
async function storeSignUpForms({ id, client }: FetchJob, reader: Kysely<Schema>): Promise<void> {
  const secret = await signingSecret(reader)
  const pages = new Map<string, SealedForm>()
  for (const key of await contentKeysOfGate(reader, id)) if (isSignUpContent(key)) pages.set(key, goneForm)
  for (const { form, list } of await signUpFormsOf(reader, id)) {
    pages.set(signUpContentKey(form.id), sealedFormOf(await signUpFormOf(reader, list, form)))
  }
  for (const [key, form] of pages) {
    const sealedForm = JSON.stringify(form)
    await client.run('gates.storeContent', {
      ...{ urlDomainId: id, key, images: [] },
      sourceDigest: createHash('sha256').update(sealedForm).digest('hex'),
      body: JSON.stringify({
        links: {},
        pages: sealText(pageKeyOf(secret, key), sealedForm),
        message: null
      } satisfies GateContent)
    })
  }
}

const goneForm: SealedForm = {
  pages: Object.fromEntries(
    ['signUp', 'signedUp', 'signUpFaulty'].map((name) => {
      const pageIn = (language: Language): string => renderPage(publicPage('unknownLink', language), language)
      return [name, { en: pageIn('en'), de: pageIn('de') }]
    })
  ),
  rules: { required: [], asksForConsent: false }
}

/** The language of a form is its own. */
function sealedFormOf(form: SignUpForm): SealedForm {
  const { language } = form.form
  const inLanguage = (page: PublicPage) => {
    const html = renderPage(page, language)
    return { en: html, de: html }
  }
  return {
    pages: {
      signUp: inLanguage(signUpPage(form)),
      signedUp: inLanguage(signedUpPage(form)),
      signUpFaulty: inLanguage(faultySignUpPage(form))
    },
    rules: rulesOf(form)
  }
}

/** Hands over what has changed since it was handed over. */
async function handOverNew({ id, client }: FetchJob, reader: Kysely<Schema>, api: GateClient): Promise<void> {
  const keys = await newContentKeysOfGate(reader, id)
  if (keys.length === 0) return
  await api.giveSecret(gateSecretOf(await signingSecret(reader), await organizationOfGate(reader, id)))
  const there = await api.contents()
  const images = new Set(there.images)
  for (const key of keys) {
    await handOverContent({ id, client }, reader, api, { key, digest: there.contents[key], images })
  }
}

/** Hands over a content that a gate does not have, or has as it was before. @param there what the gate has; the images that it gets are added */
async function handOverContent(
  { id, client }: Pick<FetchJob, 'id' | 'client'>,
  reader: Kysely<Schema>,
  api: GateClient,
  there: { key: string; digest: string | undefined; images: Set<string> }
): Promise<void> {
  const content = await contentOfGate(reader, id, there.key)
  if (!content) return
  const { content_key: key, source_digest: sourceDigest, body } = content
  const missing = (JSON.parse(content.images) as string[]).filter((image) => !there.images.has(image))
  await putImages(reader, api, missing)
  for (const image of missing) there.images.add(image)
  const digest = createHash('sha256').update(body).digest('hex')
  if (there.digest !== digest) await api.putContent(key, body)
  // A campaign or autoresponder may have handed over another version meanwhile, which this one has replaced.
  if (await client.run('gates.recordHandedOver', { urlDomainId: id, key, sourceDigest })) return
  await handOverContent({ id, client }, reader, api, { ...there, digest })
}

/** @returns why an event has to wait; null if all were applied */
async function applyEpoch(
  { id, client, signal }: FetchJob,
  reader: Kysely<Schema>,
  api: GateClient,
  { epoch, last, fetched: known, clockOffset }: GateStatus['epochs'][number] & { clockOffset: number }
): Promise<Refusal | null> {
  let applied = await positionOf(reader, epoch)
  while (applied < last) {
    const fetched = await api.events(epoch, applied)
    if (fetched.last <= applied) break
    for (const batch of batchesOf(fetched.events)) {
      signal.throwIfAborted()
      try {
        await client.run('gateFetches.apply', { id, epoch, events: batch, clockOffset })
      } catch (error) {
        const [only] = batch
        if (!(error instanceof ApiError) || batch.length > 1 || !only) throw error
        const refused = refusalOf(error)
        if (passing.has(refused.rule)) return refused
        // What the list does not take, such as a subscriber over a limit, must not hold up all others. The subscription still waits for its
        // confirmation, where a user can confirm it.
        await client.run('gateFetches.skip', { epoch, number: only.number })
      }
    }
    // Those at the end may have been left out, which must not be fetched again either.
    if (fetched.last !== fetched.events.at(-1)?.number) {
      await client.run('gateFetches.skip', { epoch, number: fetched.last })
    }
    applied = fetched.last
  }
  // Also what was applied before, if the gate was restored from an older copy.
  if (applied > known) await api.acknowledge(epoch, applied)
  return null
}

/** Refusals that pass by themselves: the event is applied later. */
const passing: ReadonlySet<string> = new Set(['list_changes_key'])

/** True for what a list may refuse. */
function standsAlone(event: GateEvent | undefined): boolean {
  return event?.kind === 'confirm' || event?.kind === 'sign_up'
}

/** Splits events: what may be refused stands alone. */
function batchesOf(events: readonly GateEvent[]): GateEvent[][] {
  const batches: GateEvent[][] = []
  for (const event of events) {
    const current = batches.at(-1)
    const joins = current && current.length < appliedAtOnce && !standsAlone(current[0])
    if (joins && !standsAlone(event)) current.push(event)
    else batches.push([event])
  }
  return batches
}
